package inbox

// Shown marks that a binding was shown an item under share all with on-ack, and
// that nobody has acked it (OBJ-3).
type Shown struct {
	Subscription string
	Subscriber   string
	Item         int64
}

// Last are the highest numbers that were ever given, whether what they were given
// to is still there or not (OBJ-1, OBJ-3).
type Last struct {
	Item      int64
	Pull      int64
	Scheduled int64
}
