package disk

import "io/fs"

func own(fs.FileInfo) bool { return true } // each user has a folder of passing files there
