// Command bare prints a line and ends: what any Go program costs at least.
package main

import "os"

func main() {
	if _, err := os.Stdout.WriteString("bare\n"); err != nil {
		os.Exit(1)
	}
}
