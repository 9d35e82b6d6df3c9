package rows

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unsafe"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A page is what the library unpacks at once, and a row is what it holds at once: both are bounded before it does so.
// How much a page unpacks to is counted: what it says of itself may be less.

// mostValues is how many values a page, or a row, may have.
func mostValues() int { return unpacking.row / int(unsafe.Sizeof(parquet.Value{})) }

func errLongRow() error { return fmt.Errorf("it is longer than %d MiB", unpacking.row>>20) }

// Bounds of pages: DuckDB writes them of up to 100 MB.
func mostPage() int  { return 2 * unpacking.row }
func mostPages() int { return 8 * unpacking.row }

// pages are those of a row group.
type pages struct {
	values int // of all columns
	bytes  int // of the largest page of each column
}

// pagesOf looks through the headers of all pages, and refuses a file with one that is too large.
func pagesOf(in io.ReaderAt, f *parquet.File) ([]pages, error) {
	groups := make([]pages, len(f.Metadata().RowGroups))
	for i, group := range f.Metadata().RowGroups {
		for _, c := range group.Columns {
			of, err := columnPages(in, c.MetaData)
			if err != nil {
				return nil, fmt.Errorf("the column %s: %w", strings.Join(c.MetaData.PathInSchema, "."), err)
			}
			groups[i].values += of.values
			groups[i].bytes += of.bytes
		}
		if n := groups[i].bytes; n > mostPages() {
			return nil, fmt.Errorf("a page of each column is %d bytes together, more than %d MiB: write it with smaller pages",
				n, mostPages()>>20)
		}
	}
	return groups, nil
}

// columnPages are those of a column in a row group, by their headers.
func columnPages(in io.ReaderAt, c format.ColumnMetaData) (all pages, err error) {
	begin := c.DataPageOffset
	if c.DictionaryPageOffset != 0 {
		begin = c.DictionaryPageOffset
	}
	r := bufio.NewReader(io.NewSectionReader(in, begin, c.TotalCompressedSize))
	var protocol thrift.CompactProtocol
	decoder := thrift.NewDecoder(protocol.NewReader(r))
	for {
		var h format.PageHeader
		if err := decoder.Decode(&h); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return all, err
		}
		n := int(max(h.DataPageHeader.V.NumValues, h.DataPageHeaderV2.V.NumValues, h.DictionaryPageHeader.V.NumValues))
		size := int(max(h.UncompressedPageSize, h.CompressedPageSize))
		if size > mostPage() {
			return all, fmt.Errorf("a page of %d bytes, more than %d MiB: write it with smaller pages", size, mostPage()>>20)
		}
		if n > mostValues() {
			return all, fmt.Errorf("a page of %d values, more than %d: write it with smaller pages", n, mostValues())
		}
		if h.DataPageHeader.V.Encoding == format.DeltaByteArray || h.DataPageHeaderV2.V.Encoding == format.DeltaByteArray {
			return all, errors.New("its texts are DELTA_BYTE_ARRAY, of which a few bytes can stand for very many: " +
				"write them PLAIN or with a dictionary")
		}
		all.bytes = max(all.bytes, size)
		if h.Type != format.DictionaryPage {
			all.values += n
		}
		page := bufio.NewReader(io.LimitReader(r, int64(h.CompressedPageSize)))
		levels := h.DataPageHeaderV2.V.RepetitionLevelsByteLength + h.DataPageHeaderV2.V.DefinitionLevelsByteLength
		if _, err := page.Discard(int(levels)); err != nil { // they are not compressed
			return all, ended(err)
		}
		unpacked, err := unpackedSize(c.Codec, page, size)
		switch {
		case unpacked > int64(size):
			return all, fmt.Errorf("a page says that it is %d bytes, and it unpacks to more", size)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return all, nil // the library says what is missing, once it gets there
		case err != nil:
			return all, err
		}
		if _, err := io.Copy(io.Discard, page); err != nil {
			return all, err
		}
	}
}

// unpackedSize is how many bytes a page unpacks to, counted no further than one byte above what it may.
func unpackedSize(codec format.CompressionCodec, page *bufio.Reader, most int) (int64, error) {
	var unpacked io.Reader = page
	var err error
	switch codec {
	case format.Snappy: // which begins with the length, for which the library makes room
		n, err := binary.ReadUvarint(page)
		return int64(min(n, math.MaxInt32)), err
	case format.Gzip:
		unpacked, err = gzip.NewReader(page)
	case format.Brotli:
		unpacked = brotli.NewReader(page)
	case format.Zstd:
		var z *zstd.Decoder
		window := uint64(max(mostPage(), 1<<20))
		z, err = zstd.NewReader(page, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
		if err == nil {
			defer z.Close()
		}
		unpacked = z
	}
	if err != nil {
		return 0, err
	}
	return io.Copy(io.Discard, io.LimitReader(unpacked, int64(most)+1))
}

// atOnce is how many rows of the group are read at once: fewer where pages are large, or rows have many values. A row
// with too many of them is refused: the library holds it whole.
func (p pages) atOnce(group parquet.RowGroup) (int, error) {
	most := min(64, max(1, mostPages()/max(1, p.bytes)))
	if p.values <= mostValues() {
		return most, nil
	}
	longest := 0
	for _, c := range group.ColumnChunks() {
		n, err := longestRow(c)
		if err != nil {
			return 0, err
		}
		longest += n
		if longest > mostValues() {
			return 0, errLongRow()
		}
	}
	return min(most, max(1, mostValues()/max(1, longest))), nil
}

// longestRow is the most values that a row has in a column.
func longestRow(c parquet.ColumnChunk) (longest int, err error) {
	if c.Column() < 0 {
		return 0, nil
	}
	all := c.Pages()
	defer all.Close()
	n := 0
	for {
		page, err := all.ReadPage()
		if err == io.EOF {
			return longest, nil
		}
		if err != nil {
			return 0, ended(err)
		}
		levels := page.RepetitionLevels()
		if levels == nil {
			parquet.Release(page)
			return 1, nil // it is not repeated
		}
		for _, level := range levels {
			if level == 0 {
				n = 0
			}
			n++
			longest = max(longest, n)
		}
		parquet.Release(page)
		if longest > mostValues() {
			return longest, nil
		}
	}
}

// bytesOf is how long the values of a row are, of which several may be one in memory.
func bytesOf(row parquet.Row) (n int) {
	for _, v := range row {
		if v.Kind() == parquet.ByteArray || v.Kind() == parquet.FixedLenByteArray {
			n += len(v.ByteArray())
		}
	}
	return n
}
