package config

import (
	"errors"
	"os"
	"path/filepath"
)

// homeOr checks the home folder that the user database told; when there is
// none, the environment's is taken.
func homeOr(folder string) (string, error) {
	if filepath.IsAbs(folder) {
		return folder, nil
	}
	folder, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(folder) {
		return "", errors.New("your home folder is not known: the passwd database has no entry for you and HOME is not set; give --db and --config")
	}
	return folder, nil
}
