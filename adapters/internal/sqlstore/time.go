package sqlstore

import "math"

// Times are milliseconds in the file and seconds in the ports. A time that no
// clock can show, from a script perhaps, becomes the nearest one that fits.

const maxSeconds = math.MaxInt64 / 1000

func toMS(seconds int64) int64 { return max(-maxSeconds, min(seconds, maxSeconds)) * 1000 }

func toSeconds(ms int64) int64 { return ms / 1000 }
