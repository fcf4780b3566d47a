import { cleanImage, type RasterType } from '../../platform/images/clean.ts'
import { type CleanImage, ImageFault } from '../../platform/images/image.ts'

/** An image as it came, and what its first bytes say that it is. */
interface RawImage {
  type: RasterType
  bytes: Uint8Array
}
type Cleaned = CleanImage | { fault: string }

/** What is done to images in threads. An error would lose its kind on the way back. */
export const mediaTasks = {
  cleanImage({ type, bytes }: RawImage): Cleaned {
    try {
      return cleanImage(type, bytes)
    } catch (error) {
      if (error instanceof ImageFault) return { fault: error.message }
      throw error
    }
  },
}

declare module '../../kernel/in-thread.ts' {
  interface TextTasks {
    cleanImage(input: RawImage): Cleaned
  }
}
