package config

import _ "embed" // the example is a file, so that it is tested and read as one

//go:embed example.yaml
var example string

// Example is a config to begin with: sound as it is, and with comments.
func Example() string { return example }
