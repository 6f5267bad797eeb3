package page

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// look is a way to look at a page.
type look struct {
	name   string
	scheme string // prefers-color-scheme
	media  string
	width  int64
	phone  bool
}

var looks = []look{
	{"light", "light", "screen", 1280, false},
	{"dark", "dark", "screen", 1280, false},
	{"phone", "light", "screen", 390, true},
	{"phone-dark", "dark", "screen", 390, true},
	{"print", "light", "print", 794, false},
}

// TestBrowserPages needs Chromium (make deps). WEIR_SHOTS names a folder that
// keeps the pictures and the PDF files.
func TestBrowserPages(t *testing.T) {
	chromium := find(t)
	shots := os.Getenv("WEIR_SHOTS")
	if shots == "" {
		shots = t.TempDir()
	}
	pages, err := filepath.Glob("../../internal/page/testdata/*.html")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no golden pages (%v)", err)
	}
	options := append(
		chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.Flag("hide-scrollbars", true),
	)
	alloc, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	defer cancel()
	browser, cancel := chromedp.NewContext(alloc)
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		t.Fatal(err)
	}
	for _, path := range pages {
		name := strings.TrimSuffix(filepath.Base(path), ".html")
		t.Run(name, func(t *testing.T) { visit(browser, t, path, filepath.Join(shots, name)) })
	}
}

func find(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no Chromium: run `make deps`")
	return ""
}

// visit opens a page, looks at it in every way, and says what is wrong.
func visit(browser context.Context, t *testing.T, path, shot string) {
	t.Helper()
	tab, cancel := chromedp.NewContext(browser)
	defer cancel()
	tab, cancel = context.WithTimeout(tab, 2*time.Minute)
	defer cancel()
	heard := listen(tab, t)
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(tab, chromedp.Navigate("file://"+full)); err != nil {
		t.Fatal(err)
	}
	for _, l := range looks {
		keep(t, shot+"-"+l.name+".png", l.look(tab, t))
	}
	if _, err := chromedp.Call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}); err != nil {
		t.Fatal(err)
	}
	pdf, err := chromedp.Run(tab, chromedp.PrintToPDF(chromedp.PDFPaper(chromedp.PaperA4), chromedp.PDFPreferCSSPageSize(), chromedp.PDFPrintBackground()))
	if err != nil {
		t.Fatalf("print: %v", err)
	}
	keep(t, shot+".pdf", pdf)
	for _, line := range heard() {
		t.Error(line)
	}
}

// look makes a picture of the whole page.
func (l *look) look(tab context.Context, t *testing.T) []byte {
	t.Helper()
	media := emulation.SetEmulatedMediaParams{Media: l.media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}}}
	if _, err := chromedp.Call(tab, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatalf("%s: %v", l.name, err)
	}
	var options []chromedp.EmulateViewportOption
	if l.phone {
		options = append(options, chromedp.EmulateMobile)
	}
	if err := chromedp.Do(tab, chromedp.EmulateViewport(l.width, 900, options...)); err != nil {
		t.Fatalf("%s: %v", l.name, err)
	}
	size, err := chromedp.Run(tab, chromedp.Evaluate[[]int64](`[document.documentElement.scrollWidth, document.documentElement.scrollHeight]`))
	if err != nil {
		t.Fatalf("%s: %v", l.name, err)
	}
	if size[0] > l.width {
		t.Errorf("%s: the page is %d pixels wide on a screen of %d", l.name, size[0], l.width)
	}
	if size[1] < 900 {
		t.Errorf("%s: the page is only %d pixels high", l.name, size[1])
	}
	picture, err := chromedp.Run(tab, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatalf("%s: %v", l.name, err)
	}
	return picture
}

// listen notes what a page fetches, and what its console says.
func listen(tab context.Context, t *testing.T) (heard func() []string) {
	t.Helper()
	var mu sync.Mutex
	var lines []string
	note := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}
	err := chromedp.Listen(tab, func(ev any) {
		switch ev := ev.(type) {
		case *network.EventRequestWillBeSent:
			if u := ev.Request.URL; !strings.HasPrefix(u, "file:///") && !strings.HasPrefix(u, "data:") || strings.Contains(u, "evil") {
				note("it fetched " + u)
			}
		case *log.EventEntryAdded:
			note("the browser says: " + ev.Entry.Text)
		case *runtime.EventConsoleAPICalled:
			note("its console says something: " + string(ev.Type))
		case *runtime.EventExceptionThrown:
			note("it threw: " + ev.ExceptionDetails.Text)
		case *page.EventJavascriptDialogOpening:
			note("a script ran: " + ev.Message)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(tab, network.Enable, network.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(tab, log.Enable, cdp.Empty{}); return err },
	} {
		if err := enable(); err != nil {
			t.Fatal(err)
		}
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return lines
	}
}

func keep(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}
