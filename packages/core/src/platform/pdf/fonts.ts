import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * The faces that PDFs are set in. What slants is the upright one, slanted; code is set as text is, since the face whose letters
 * are all of one width lacks a part of the others.
 */
export const fonts = {
  text: 'DejaVuSansCondensed.ttf',
  bold: 'DejaVuSansCondensed-Bold.ttf',
} as const
export type Font = keyof typeof fonts

/**
 * Where the file of a face lies: beside the code, where what is built has it, else in the package that it comes from.
 * @throws Error when it is in neither place
 */
export function fontFile(face: Font): string {
  const beside = fileURLToPath(new URL(`./fonts/${fonts[face]}`, import.meta.url))
  return existsSync(beside)
    ? beside
    : createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${fonts[face]}`)
}
