package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is shown below the flags.
func (completionCmd) Help() string {
	return `Prints a script that completes commands and flags.

  weir completion bash > /etc/bash_completion.d/weir
  weir completion zsh > "${fpath[1]}/_weir"
  weir completion fish > ~/.config/fish/completions/weir.fish`
}

func (c *completionCmd) Run(p *process, app *kong.Kong) error {
	commands := map[string][]string{}
	var names []string
	for _, n := range app.Model.Children {
		names = append(names, n.Name)
		for _, leaf := range append([]*kong.Node{n}, n.Leaves(true)...) {
			for _, group := range leaf.AllFlags(true) {
				for _, f := range group {
					if flag := "--" + f.Name; !slices.Contains(commands[n.Name], flag) {
						commands[n.Name] = append(commands[n.Name], flag)
					}
				}
			}
		}
	}
	write := map[string]func([]string, map[string][]string) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	_, err := fmt.Fprint(p.out, write(names, commands))
	return err
}

func bashCompletion(names []string, flags map[string][]string) string {
	var b strings.Builder
	b.WriteString("_weir() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} words\n\tcase ${COMP_WORDS[1]} in\n")
	for _, n := range names {
		fmt.Fprintf(&b, "\t%s) words=%q ;;\n", n, strings.Join(flags[n], " "))
	}
	fmt.Fprintf(&b, "\tesac\n\t[ \"$COMP_CWORD\" -gt 1 ] || words=%q\n", strings.Join(names, " "))
	b.WriteString("\tif [ \"$COMP_CWORD\" -gt 1 ] && [[ $cur != -* ]]; then COMPREPLY=($(compgen -f -- \"$cur\")); else COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")); fi\n}\ncomplete -F _weir weir\n")
	return b.String()
}

func zshCompletion(names []string, flags map[string][]string) string {
	return "#compdef weir\nautoload -U +X bashcompinit && bashcompinit\n" + bashCompletion(names, flags)
}

func fishCompletion(names []string, flags map[string][]string) string {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "complete -c weir -n __fish_use_subcommand -f -a %s\n", n)
		for _, f := range flags[n] {
			fmt.Fprintf(&b, "complete -c weir -n '__fish_seen_subcommand_from %s' -l %s\n", n, strings.TrimPrefix(f, "--"))
		}
	}
	return b.String()
}
