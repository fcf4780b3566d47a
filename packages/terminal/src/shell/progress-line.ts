import { cutRow, type StyledLine } from '../render/row.ts'
import type { CliOutput } from './output.ts'
import { onStderr, stderrOptions } from './session.ts'

const toLineEnd = '\u001b[K'

/** One line on stderr that is written again and again, on a terminal only. */
export function progressLine({ json }: CliOutput) {
  const isShown = process.stderr.isTTY && !json
  let isThere = false
  return {
    show(line: StyledLine) {
      if (!isShown) return
      isThere = true
      // The last column stays empty: some terminals go on to the next line.
      const width = (process.stderr.columns || stderrOptions().width) - 1
      process.stderr.write(`\r${onStderr([cutRow(line, width)])}${toLineEnd}`)
    },
    clear() {
      if (isThere) process.stderr.write(`\r${toLineEnd}`)
      isThere = false
    },
  }
}
