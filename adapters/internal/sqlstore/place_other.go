//go:build !linux

package sqlstore

import (
	"io/fs"
	"os"
)

// createEmpty makes an empty file, or fails with fs.ErrExist.
func createEmpty(path string, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	return file.Close()
}

// accessible fails when this process may not look at path.
func accessible(path string) error {
	_, err := os.Stat(path)
	return err
}
