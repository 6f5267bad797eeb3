package server

import (
	"context"
	"io"
	"os"
	"os/exec"
)

// Gateway starts weir gateway with a config, which is written to the file
// config, with a free port to listen on.
func Gateway(ctx context.Context, weir string, log io.Writer, config, yaml string) (*Server, error) {
	var bad error
	s, err := start(ctx, log, "/healthz", func(port string) *exec.Cmd {
		bad = os.WriteFile(config, []byte("listen: 127.0.0.1:"+port+"\n"+yaml), 0o600)
		return exec.Command(weir, "gateway", "-c", config)
	})
	if bad != nil {
		return nil, bad
	}
	return s, err
}
