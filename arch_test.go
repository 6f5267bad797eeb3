package weir_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "weir.dev/weir"

// mayImport is the architecture: each package, and the packages of ours that it
// may import. "" is the root package. A new package or a new edge is a change
// to this table, so that a review sees it.
var mayImport = map[string][]string{
	"":                             {},
	"internal/sse":                 {},
	"internal/clock":               {},
	"internal/stamp":               {},
	"internal/stats":               {""},
	"internal/dialect":             {"", "internal/sse"},
	"internal/request":             {"", "internal/sse"},
	"meter":                        {"", "internal/dialect", "internal/stamp"},
	"internal/catalog":             {"", "internal/request", "internal/nearest"},
	"internal/bench":               {"", "internal/work", "internal/clock", "internal/dialect", "internal/request", "meter", "internal/catalog", "internal/stats"},
	"internal/config":              {""},
	"internal/work":                {"", "internal/request"},
	"internal/sim":                 {"", "internal/clock", "internal/sse", "internal/request", "internal/engine", "internal/sim/cast", "internal/sim/promptcache", "internal/sim/provider"},
	"internal/report":              {"", "internal/stats", "internal/work"},
	"internal/chart":               {},
	"internal/page":                {"", "internal/report", "internal/stats", "internal/chart"},
	"internal/stored":              {"", "internal/report"},
	"internal/imports":             {""},
	"internal/engine":              {"", "internal/nearest"},
	"internal/engine/validate":     {"", "internal/stats", "internal/engine"},
	"internal/engine/plan":         {"", "internal/stats", "internal/engine"},
	"internal/engine/ablate":       {"", "internal/stats", "internal/engine", "internal/engine/plan"},
	"internal/faults":              {"", "internal/clock", "internal/sse", "internal/request", "internal/dialect"},
	"internal/reconcile":           {"", "internal/imports", "internal/stats"},
	"internal/weirtest":            {"", "internal/sse", "internal/clock", "internal/stats", "internal/dialect", "internal/request", "meter", "internal/catalog", "internal/sim", "internal/report"},
	"internal/splice":              {},
	"internal/weirtest/handmade":   {"", "internal/report"},
	"cmd/weir":                     {"", "internal/clock", "internal/stats", "internal/dialect", "internal/request", "meter", "internal/catalog", "internal/bench", "internal/sim", "internal/report", "internal/page", "internal/config", "internal/work", "internal/imports", "internal/reconcile", "internal/engine", "internal/engine/validate", "internal/engine/plan", "internal/engine/ablate", "internal/stored", "internal/faults", "internal/nearest", "internal/sim/cast", "internal/gateway/tenant", "internal/gateway", "internal/gateway/journal", "internal/gateway/telemetry", "internal/route"},
	"internal/nearest":             {},
	"internal/sim/cast":            {"", "internal/nearest", "internal/engine"},
	"internal/sim/promptcache":     {},
	"internal/sim/provider":        {"", "internal/clock", "internal/engine", "internal/sim/cast", "internal/sim/promptcache"},
	"internal/gateway/tenant":      {""},
	"internal/gateway/journal":     {""},
	"internal/gateway/telemetry":   {"", "internal/gateway/journal"},
	"internal/weirtest/typeschema": {""},
	"internal/route":               {"", "internal/stats"},
	"internal/translate":           {"", "internal/request", "internal/sse", "internal/splice", "internal/dialect"},
	"internal/gateway":             {"", "internal/sse", "internal/splice", "internal/dialect", "internal/request", "internal/translate", "meter", "internal/catalog", "internal/route", "internal/gateway/tenant", "internal/gateway/journal"},
}

// testsMayImport is what the tests of any package may import beside what the
// package itself may.
var testsMayImport = []string{"internal/weirtest", "internal/weirtest/handmade", "internal/weirtest/typeschema", "internal/sim", "internal/clock", "internal/request", "meter", "internal/dialect", "internal/faults", "internal/gateway/telemetry"}

const (
	maxChain     = 6   // packages of ours from cmd/weir down to a leaf, both counted
	maxFileLines = 600 // of a product file
	maxFuncLines = 100 // of a product function
)

// onlyIn says where alone product code may use a name of the standard library.
var onlyIn = map[string]string{
	"net/http.Transport{}": "meter", // there is one way to the wire
	"os.Exit":              "cmd/weir",
	"os.Getenv":            "cmd/weir",
	"os.LookupEnv":         "cmd/weir",
	"os.Environ":           "cmd/weir",
	"os.Args":              "cmd/weir",
	"os.Stdin":             "cmd/weir",
	"os.Stdout":            "cmd/weir",
	"os.Stderr":            "cmd/weir",
}

func TestArchImports(t *testing.T) {
	tree := readTree(t)
	for name, p := range tree {
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("package %q is not in mayImport of arch_test.go: add it, with what it may import", name)
			continue
		}
		for _, f := range p {
			for _, imp := range f.imports() {
				switch dep, isOurs := ours(imp); {
				case !isOurs && name == "" && !f.test && strings.Contains(imp, "."):
					t.Errorf("%s: the root package is values over the standard library, it may not import %s", f.name, imp)
				case !isOurs, dep == name, slices.Contains(allowed, dep), f.test && slices.Contains(testsMayImport, dep):
				case strings.HasPrefix(dep, "internal/weirtest"):
					t.Errorf("%s: %s is for tests only", f.name, dep)
				default:
					t.Errorf("%s: package %q may not import %q; the table is mayImport in arch_test.go", f.name, name, dep)
				}
			}
		}
	}
	for name := range mayImport {
		if _, ok := tree[name]; !ok {
			t.Errorf("mayImport of arch_test.go has %q, which has no Go file: take it out until it has", name)
		}
	}
}

func TestArchChain(t *testing.T) {
	tree := readTree(t)
	deepest := map[string][]string{}
	var chain func(name string) []string
	chain = func(name string) []string {
		if c, done := deepest[name]; done {
			return c
		}
		var below []string
		for _, f := range tree[name] {
			for _, imp := range f.imports() {
				dep, isOurs := ours(imp)
				if f.test || !isOurs {
					continue
				}
				if c := chain(dep); len(c) > len(below) {
					below = c
				}
			}
		}
		deepest[name] = append([]string{name}, below...)
		return deepest[name]
	}
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if c := chain(name); len(c) > maxChain {
			t.Errorf("import chain of %d, at most %d: %q", len(c), maxChain, c)
		}
	}
}

func TestArchComments(t *testing.T) {
	for name, p := range readTree(t) {
		want := path.Join(name, "doc.go")
		switch name {
		case "":
			want = "weir.go"
		case "cmd/weir":
			want = "cmd/weir/main.go"
		}
		if !slices.ContainsFunc(p, func(f source) bool { return f.name == want && f.syntax.Doc != nil }) {
			t.Errorf("%s: it must hold the package comment of %q: what the package is, what may live in it, what may not", want, name)
		}
	}
}

func TestArchSizes(t *testing.T) {
	for _, p := range readTree(t) {
		for _, f := range p {
			if f.test {
				continue
			}
			if n := f.fset.File(f.syntax.FileStart).LineCount(); n > maxFileLines {
				t.Errorf("%s: %d lines, at most %d", f.name, n, maxFileLines)
			}
			for _, d := range f.syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if n := f.line(fn.End()) - f.line(fn.Pos()) + 1; n > maxFuncLines {
					t.Errorf("%s:%d: func %s has %d lines, at most %d", f.name, f.line(fn.Pos()), fn.Name.Name, n, maxFuncLines)
				}
			}
		}
	}
}

func TestArchReservedNames(t *testing.T) {
	for name, p := range readTree(t) {
		for _, f := range p {
			if f.test {
				continue
			}
			for use, pos := range f.uses() {
				if home, reserved := onlyIn[use]; reserved && home != name {
					t.Errorf("%s:%d: %s is for %s alone", f.name, f.line(pos), use, home)
				}
			}
		}
	}
}

// source is one Go file of the module, whatever its build tags.
type source struct {
	name   string // path from the root, with slashes
	test   bool
	fset   *token.FileSet
	syntax *ast.File
}

// readTree parses every Go file of the root module, by package folder.
func readTree(t *testing.T) map[string][]source {
	t.Helper()
	tree, fset := map[string][]source{}, token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && notOurs(name):
			return filepath.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		syntax, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := strings.TrimPrefix(path.Dir(name), ".")
		tree[dir] = append(tree[dir], source{name: name, test: strings.HasSuffix(name, "_test.go"), fset: fset, syntax: syntax})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(tree) == 0 {
		t.Fatal("no Go file found")
	}
	return tree
}

// notOurs tells folders that are no part of the root module: test and tools are
// modules of their own, and the go command skips the rest.
func notOurs(dir string) bool {
	base := path.Base(dir)
	return dir == "test" || dir == "tools" || base == "testdata" || base == "node_modules" ||
		base != "." && strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
}

// ours is an import path from the root of the module, if it is in it.
func ours(imp string) (string, bool) {
	rest, ok := strings.CutPrefix(imp, module)
	return strings.TrimPrefix(rest, "/"), ok && (rest == "" || rest[0] == '/')
}

func (f source) line(p token.Pos) int { return f.fset.Position(p).Line }

func (f source) imports() []string {
	var paths []string
	for _, spec := range f.syntax.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			panic(fmt.Sprintf("%s: the parser let through the import %s", f.name, spec.Path.Value))
		}
		paths = append(paths, p)
	}
	return paths
}

// uses yields where each name of an imported package is used, as
// "path.Name", and as "path.Name{}" where a value of that type is made.
func (f source) uses() map[string]token.Pos {
	byName := map[string]string{}
	for i, spec := range f.syntax.Imports {
		p := f.imports()[i]
		local := path.Base(p)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		byName[local] = p
	}
	found := map[string]token.Pos{}
	note := func(e ast.Expr, suffix string) {
		if s, ok := e.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && byName[x.Name] != "" {
				found[byName[x.Name]+"."+s.Sel.Name+suffix] = s.Pos()
			}
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			note(n, "")
		case *ast.CompositeLit:
			note(n.Type, "{}")
		case *ast.CallExpr:
			if fn, ok := n.Fun.(*ast.Ident); ok && fn.Name == "new" && len(n.Args) == 1 {
				note(n.Args[0], "{}")
			}
		case *ast.ValueSpec: // var t http.Transport
			note(n.Type, "{}")
		}
		return true
	})
	return found
}
