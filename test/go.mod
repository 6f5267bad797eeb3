module weir.dev/weir/test

go 1.26.0

require (
	github.com/openai/openai-go/v3 v3.99.0
	weir.dev/weir v0.0.0
)

require (
	github.com/coder/websocket v1.8.15 // indirect
	github.com/oklog/ulid/v2 v2.1.2 // indirect
	github.com/tidwall/gjson v1.20.0 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace weir.dev/weir => ../
