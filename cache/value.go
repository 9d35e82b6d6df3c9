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
	unbound = 1 // the text alone
	bound   = 2 // the key and the text
)

var (
	errOlder   = errors.New("written by an older gavel")
	errDamaged = errors.New("damaged")
)

// A value consists of that byte, a CRC-32C, and the entry's JSON as an S2 block. S2 rather than zstd: a reply has a
// kilobyte or two, and setting up zstd costs more than writing it.
const header = 1 + crc32.Size

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maxPlain limits the allocation that a damaged length can cause.
const maxPlain = 256 << 20

func encode(key []byte, e Entry) ([]byte, error) {
	plain, err := codec.Marshal(e)
	return seal(key, plain), err
}

func seal(key, plain []byte) []byte {
	out := make([]byte, header, header+s2.MaxEncodedLen(len(plain)))
	out[0] = bound
	binary.LittleEndian.PutUint32(out[1:], checksum(bound, key, plain))
	return out[:header+len(s2.Encode(out[header:cap(out)], plain))]
}

func checksum(kind byte, key, plain []byte) uint32 {
	if kind == unbound {
		key = nil
	}
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, plain)
}

func decode(key, v []byte) (Entry, error) {
	switch {
	case len(v) == 0:
		return Entry{}, fmt.Errorf("%w: empty value", errDamaged)
	case v[0] != unbound && v[0] != bound:
		return Entry{}, errOlder
	case len(v) < header:
		return Entry{}, fmt.Errorf("%w: cut short", errDamaged)
	}
	if n, err := s2.DecodedLen(v[header:]); err != nil || n > maxPlain {
		return Entry{}, fmt.Errorf("%w: impossible length", errDamaged)
	}
	plain, err := s2.Decode(nil, v[header:])
	if err != nil {
		return Entry{}, fmt.Errorf("%w: %v", errDamaged, err)
	}
	if checksum(v[0], key, plain) != binary.LittleEndian.Uint32(v[1:]) {
		return Entry{}, fmt.Errorf("%w: wrong checksum", errDamaged)
	}
	var e Entry
	if err := codec.Decode(plain, &e); err != nil {
		return Entry{}, fmt.Errorf("%w: %v", errDamaged, err)
	}
	if ends := []backends.Finish{
		backends.Stop, backends.Length, backends.TooLong, backends.Refused,
	}; !slices.Contains(ends, e.Response.Finish) {
		return Entry{}, fmt.Errorf("%w: unknown end %q", errDamaged, e.Response.Finish)
	}
	return e, nil
}
