import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { faces, fontFile } from '../packages/core/src/platform/pdf/fonts.ts'
import { licenceFile } from './licences.ts'

/** Puts the fonts of PDFs, with their licence, into `fonts` of a folder that has the code which sets them. */
export function copyFonts(folder: string): void {
  const fonts = join(folder, 'fonts')
  mkdirSync(fonts, { recursive: true })
  for (const face of Object.keys(faces) as Array<keyof typeof faces>)
    copyFileSync(fontFile(face), join(fonts, faces[face]))
  writeFileSync(join(fonts, 'LICENSE.txt'), licenceFile(join(dirname(fontFile('text')), '..')))
}
