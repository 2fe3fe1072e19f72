// Package faultdrv wraps a driver of database/sql so that a chosen operation
// fails: before it took effect, after it, with the transaction gone, or as the
// last one that a dying process began. It is imported by tests only.
package faultdrv
