import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fontFile, fonts } from '../packages/core/src/platform/pdf/fonts.ts'
import { licenceFile } from './licences.ts'

/** Puts the fonts of PDFs, with their licence, into `fonts` of a folder that has the code which sets them. */
export function copyFonts(folder: string): void {
  const target = join(folder, 'fonts')
  mkdirSync(target, { recursive: true })
  for (const face of Object.keys(fonts) as Array<keyof typeof fonts>)
    copyFileSync(fontFile(face), join(target, fonts[face]))
  writeFileSync(join(target, 'LICENSE.txt'), licenceFile(join(dirname(fontFile('text')), '..')))
}
