package engine

// Link joins nodes. Nothing here is held against published figures yet.
type Link struct {
	Name    string
	Source  string
	Latency float64 // s, of an all-reduce over it
	Rate    float64 // bytes/s per device, one way
}

// Links is the table of links between nodes: unvalidated, nominal rates.
func Links() []Link {
	const nominal = "nominal rate; latency is an estimate; unvalidated"
	return []Link{
		{Name: "infiniband-ndr", Source: nominal, Latency: 20 * us, Rate: 50 * gb},
		{Name: "infiniband-hdr", Source: nominal, Latency: 20 * us, Rate: 25 * gb},
		{Name: "ethernet-400", Source: nominal, Latency: 35 * us, Rate: 50 * gb},
		{Name: "ethernet-100", Source: nominal, Latency: 50 * us, Rate: 12.5 * gb},
	}
}

// LinkNamed finds a link in the table.
func LinkNamed(name string) (Link, bool) {
	for _, l := range Links() {
		if l.Name == name {
			return l, true
		}
	}
	return Link{}, false
}

// Offload keeps evicted KV blocks in host memory. Unvalidated.
type Offload struct {
	Bytes float64 // of host memory per device; 0: none
	Rate  float64 // bytes/s at which a device loads them back
}

// smallMessage is up to where an all-reduce runs in one or two shots.
const smallMessage = 512 << 10

// smallRate is what one- and two-shot kernels move at over NVLink, in bytes/s;
// they are no faster than the devices' bus.
func smallRate(devices int) float64 {
	if devices > 4 {
		return 65 * gb
	}
	return 85 * gb
}

// allReduce is the time of one over all ranks, of a message in bytes.
func (p *Physics) allReduce(message float64) float64 {
	if p.TP == 1 {
		return 0
	}
	t := 0.0
	if n := float64(p.local); p.local > 1 {
		c := p.GPU.AllReduce[p.local]
		if message <= smallMessage {
			t = c.Latency + message/min(smallRate(p.local), c.BusRate)
		} else {
			t = c.LargeLatency + 2*(n-1)/n*message/c.BusRate
		}
	}
	if nodes := float64(p.TP / p.local); nodes > 1 {
		share := message / float64(p.local)
		t += p.Link.Latency + 2*(nodes-1)/nodes*share/p.Link.Rate
	}
	return max(t, p.Profile.CollectiveFloor.Seconds())
}
