import type { Metadata } from 'sharp'

type Header = Pick<
  Metadata,
  'format' | 'width' | 'height' | 'channels' | 'depth' | 'isProgressive' | 'chromaSubsampling'
>

/** Decoded bytes of one image: in all, and where a decoder holds them all at a time. */
const mostDecoded = { streamed: 400_000_000, held: 120_000_000 }

/** Samples for each pixel where colours are kept in less than their full size. */
const subsampled: Readonly<Record<string, number>> = { '4:2:0': 1.5, '4:2:2': 2 }

/**
 * Whether an image can be made smaller for what one may take, as its header tells. Most PNG and JPEG images are read line by line;
 * all others, and those whose lines come in several rounds, are in memory as a whole, so that a small file can take a server down.
 */
export function isAffordable(header: Header): boolean {
  return decodedBytes(header) <= mostDecoded[isStreamed(header) ? 'streamed' : 'held']
}

const isStreamed = ({ format, isProgressive }: Header) =>
  (format === 'png' || format === 'jpeg') && !isProgressive

function decodedBytes({ format, width, height, channels, depth, isProgressive, chromaSubsampling }: Header) {
  const pixels = width * height
  // Its decoder works in four bytes, whatever the palette.
  if (format === 'gif') return pixels * 4
  // Of several rounds, each sample is kept as a coefficient of two bytes.
  if (format === 'jpeg' && isProgressive)
    return pixels * 2 * (subsampled[chromaSubsampling ?? ''] ?? channels)
  // Decoded once in its own colours, and once in those that are shown.
  if (format === 'heif') return pixels * 2 * channels * (depth === 'uchar' ? 1 : 2)
  return pixels * channels * (depth === 'uchar' ? 1 : 2)
}
