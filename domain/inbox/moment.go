package inbox

// Moment is a point in time that somebody named: either so many seconds from when
// it is asked for, or a time. The zero Moment is none.
type Moment struct {
	In int64 // seconds; 0 when At is set
	At int64 // Unix seconds; 0 when In is set
}

// From is the Unix time of the moment for who asks at now; 0 when it is none.
func (m Moment) From(now int64) int64 {
	if m.In > 0 {
		return now + m.In
	}
	return m.At
}
