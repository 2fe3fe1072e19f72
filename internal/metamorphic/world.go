package metamorphic

// The small world of the programs: few names, which collide often.

func queues() []string { return []string{"q", "Q x", "ü[q#1"} }

func dedupes() []string { return []string{"d", "D 1", "ü"} }
