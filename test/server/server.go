package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"syscall"
	"time"
)

// Server is a server process that answers. Stop ends it.
type Server struct {
	URL string // without a path

	cmd    *exec.Cmd
	exited chan error
}

// start runs what command gives for a free port, and waits until the path health
// of it says 200. What the process writes goes to log.
func start(ctx context.Context, log io.Writer, health string, command func(port string) *exec.Cmd) (*Server, error) {
	var err error
	for range 3 { // the port may be taken between asking for it and using it
		var port string
		if port, err = freePort(ctx); err != nil {
			return nil, err
		}
		s := &Server{URL: "http://127.0.0.1:" + port, cmd: command(port), exited: make(chan error, 1)}
		s.cmd.Stdout, s.cmd.Stderr = log, log
		s.cmd.WaitDelay = 5 * time.Second
		if err = s.cmd.Start(); err != nil {
			return nil, err
		}
		go func() { s.exited <- s.cmd.Wait() }()
		if err = s.waitHealthy(ctx, health, 2*time.Minute); err == nil {
			return s, nil
		}
		if !errors.Is(err, errExited) {
			s.Stop()
			return nil, err
		}
	}
	return nil, err
}

func freePort(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

var errExited = errors.New("the server exited")

func (s *Server) waitHealthy(ctx context.Context, path string, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the server is not healthy after %v", limit))
	defer cancel()
	client := &http.Client{Timeout: 2 * time.Second}
	defer client.CloseIdleConnections()
	for {
		select {
		case err := <-s.exited:
			return fmt.Errorf("%w: %v", errExited, err)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, nil)
		if err != nil {
			return err
		}
		if resp, err := client.Do(req); err == nil { // 503 while it loads
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
}

// Stop ends the process and waits for it.
func (s *Server) Stop() {
	s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.exited:
	case <-time.After(5 * time.Second):
		s.cmd.Process.Kill()
		<-s.exited
	}
}
