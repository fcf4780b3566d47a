/** An image without what describes where and by whom it was made. Nothing of it was decoded. */
export interface CleanImage {
  /** As it is shown, pixels. */
  width: number
  height: number
  /** Of an animation; otherwise 1. */
  frames: number
  /** The file, in pieces. */
  parts: Uint8Array[]
}

/** Why a file is not taken as the image that it begins like. The message is for the person who uploads it. */
export class ImageFault extends Error {
  override readonly name = 'ImageFault'
}

export const cutOff = () => new ImageFault('The image is cut off or damaged')

/** The bytes from `start` on. @throws ImageFault where the file ends before */
export function take(file: Buffer, start: number, length: number): Buffer {
  if (start < 0 || length < 0 || start + length > file.length) throw cutOff()
  return file.subarray(start, start + length)
}
