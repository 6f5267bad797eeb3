package weir

// Error is an error for three readers: Code for programs, Message for people,
// Hint for whoever has to do something about it.
type Error struct {
	Code    string // stable, lower_snake_case
	Message string // what happened, and to what
	Hint    string // what to do; may be empty
	Err     error  // the cause; may be nil
}

// Error implements error.
func (e *Error) Error() string {
	s := e.Message
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
