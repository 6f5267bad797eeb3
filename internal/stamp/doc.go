// Package stamp makes connections that know when the kernel received what they
// read. A stamp taken after a read is late by however long the process took to
// wake up; the kernel's is taken when the segment came in, and does not care
// how busy the client is.
//
// Linux only (SO_TIMESTAMPNS, see Documentation/networking/timestamping.rst);
// elsewhere Dial is an ordinary dial. The kernel merges segments that wait and
// keeps the newest one's time: Read says whether the queue was empty before and
// after, so that its user can tell a time from a bound.
//
// What may not live here: anything that knows HTTP or events.
package stamp
