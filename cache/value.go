package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/klauspost/compress/s2"

	"gavel/backends"
	"gavel/internal/codec"
)

// The first byte of a value tells what its checksum covers. Values of an earlier gavel are still readable, but not
// bound to their key: a file of the cache copied over another yields a valid value under a wrong key.
const (
	checksumUnbound  = 1 // the checksum covers the text alone
	checksumKeyBound = 2 // the checksum covers the key and the text
)

var (
	errOlder   = errors.New("written by an older gavel")
	errDamaged = errors.New("damaged")
)

// valueHeaderLength is the length in bytes of a value's beginning: unbound or bound, and a CRC-32C. The entry's JSON
// follows, as an S2 block. S2 rather than zstd: a reply has a kilobyte or two, and setting up zstd costs more than
// writing the reply.
const valueHeaderLength = 1 + crc32.Size

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maxEntryBytes limits the bytes of an entry's JSON, and so the allocation that a damaged length can cause.
const maxEntryBytes = 256 << 20

// encode returns the value that stores an entry under a key.
func encode(key []byte, e Entry) ([]byte, error) {
	plain, err := codec.Marshal(e)
	return compressWithSum(key, plain), err
}

// compressWithSum returns the value with an entry's JSON, compressed, and a checksum over key and JSON.
func compressWithSum(key, plain []byte) []byte {
	out := make([]byte, valueHeaderLength, valueHeaderLength+s2.MaxEncodedLen(len(plain)))
	out[0] = checksumKeyBound
	binary.LittleEndian.PutUint32(out[1:], checksum(checksumKeyBound, key, plain))
	return out[:valueHeaderLength+len(s2.Encode(out[valueHeaderLength:cap(out)], plain))]
}

// checksum returns the CRC-32C of a value of a kind, unbound or bound.
func checksum(kind byte, key, plain []byte) uint32 {
	if kind == checksumUnbound {
		key = nil
	}
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, plain)
}

// decode returns the entry in the value v of a key. Errors wrap errOlder or errDamaged.
func decode(key, v []byte) (Entry, error) {
	damaged := func(reason any) (Entry, error) { return Entry{}, fmt.Errorf("%w: %v", errDamaged, reason) }
	switch {
	case len(v) == 0:
		return damaged("empty value")
	case v[0] != checksumUnbound && v[0] != checksumKeyBound:
		return Entry{}, errOlder
	case len(v) < valueHeaderLength:
		return damaged("cut short")
	}
	if n, err := s2.DecodedLen(v[valueHeaderLength:]); err != nil || n > maxEntryBytes {
		return damaged("impossible length")
	}
	plain, err := s2.Decode(nil, v[valueHeaderLength:])
	if err != nil {
		return damaged(err)
	}
	if checksum(v[0], key, plain) != binary.LittleEndian.Uint32(v[1:]) {
		return damaged("wrong checksum")
	}
	var e Entry
	if err := codec.FastDecode(plain, &e); err != nil {
		return damaged(err)
	}
	if ends := []backends.Finish{
		backends.FinishStop, backends.FinishLength, backends.FinishPromptTooLong, backends.FinishRefused,
	}; !slices.Contains(ends, e.Response.Finish) {
		return Entry{}, fmt.Errorf("%w: unknown end %q", errDamaged, e.Response.Finish)
	}
	return e, nil
}
