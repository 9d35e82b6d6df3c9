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

// A page is what the library unpacks at once, as much as it comes to: so pages are unpacked here before, no further
// than they may be, and nothing is kept. What a page says of itself may be less.

// mostValues is how many values a page, or a row, may have.
func mostValues() int { return unpacking.row / int(unsafe.Sizeof(parquet.Value{})) }

func errLongRow() error { return fmt.Errorf("it is longer than %d MiB", unpacking.row>>20) }

// Bounds of pages: DuckDB writes them of up to 100 MB.
func mostPage() int  { return 2 * unpacking.row }
func mostPages() int { return 8 * unpacking.row }

// checkPages refuses a file with a page that is too large, or with a row group whose columns' largest pages are too
// large together.
func checkPages(in io.ReaderAt, f *parquet.File) error {
	for _, group := range f.Metadata().RowGroups {
		together := 0
		for _, c := range group.Columns {
			largest, err := largestPage(in, c.MetaData)
			if err != nil {
				return fmt.Errorf("the column %s: %w", strings.Join(c.MetaData.PathInSchema, "."), err)
			}
			together += largest
		}
		if together > mostPages() {
			return fmt.Errorf("a page of each column is %d bytes together, more than %d MiB: write it with smaller pages",
				together, mostPages()>>20)
		}
	}
	return nil
}

// largestPage is how many bytes the largest page of a column in a row group unpacks to.
func largestPage(in io.ReaderAt, c format.ColumnMetaData) (largest int, err error) {
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
			return largest, nil
		} else if err != nil {
			return largest, err
		}
		v1, v2 := h.DataPageHeader.V, h.DataPageHeaderV2.V
		n := int(max(v1.NumValues, v2.NumValues, h.DictionaryPageHeader.V.NumValues))
		size := int(max(h.UncompressedPageSize, h.CompressedPageSize))
		switch {
		case size > mostPage():
			return largest, fmt.Errorf("a page of %d bytes, more than %d MiB: write it with smaller pages",
				size, mostPage()>>20)
		case n > mostValues():
			return largest, fmt.Errorf("a page of %d values, more than %d: write it with smaller pages", n, mostValues())
		case v1.Encoding == format.DeltaByteArray || v2.Encoding == format.DeltaByteArray:
			return largest, errors.New("its texts are DELTA_BYTE_ARRAY, of which a few bytes can stand for very many: " +
				"write them PLAIN or with a dictionary")
		}
		largest = max(largest, size)
		page := bufio.NewReader(io.LimitReader(r, int64(h.CompressedPageSize)))
		levels := v2.RepetitionLevelsByteLength + v2.DefinitionLevelsByteLength // they are not compressed
		_, err := page.Discard(int(levels))
		unpacked := int64(0)
		if err == nil {
			unpacked, err = unpackedSize(c.Codec, page, size)
		}
		if err == nil {
			_, err = io.Copy(io.Discard, page)
		}
		switch {
		case unpacked > int64(size):
			return largest, fmt.Errorf("a page says that it is %d bytes, and it unpacks to more", size)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return largest, nil // the library says what is missing, once it gets there
		case err != nil:
			return largest, ended(err)
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
