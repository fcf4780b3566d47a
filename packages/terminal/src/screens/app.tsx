import { Box, Text, useApp, useInput, usePaste, useWindowSize } from 'ink'
import { memo, useEffect, useReducer } from 'react'
import { printed } from '../render/row.ts'
import { bodySize, frameRows } from './frame.ts'
import { type KeyName, keysOf } from './keys.ts'
import { bindingsOf, type Size } from './screen.ts'
import { everywhere } from './sections.ts'
import type { Shell } from './shell.ts'

interface AppProps {
  shell: Shell
  /** Gets a function that suspends the terminal while another program uses it. */
  suspend(release: (work: () => Promise<void>) => Promise<void>): void
}

/** The terminal: draws the top screen of the shell in its frame and passes it the keys. */
export function App({ shell, suspend }: AppProps) {
  const { suspendTerminal } = useApp()
  useEffect(() => suspend((work) => suspendTerminal(work)), [suspend, suspendTerminal])
  const [, draw] = useReducer((frames: number) => frames + 1, 0)
  useEffect(() => shell.subscribe(draw), [shell])
  const { columns, rows } = useWindowSize()
  const size: Size = { width: Math.max(20, columns), height: Math.max(1, rows) }

  useInput((input, key) => {
    for (const name of keysOf(input, key)) press(shell, name, size)
    shell.pressed()
  })
  usePaste((text) => {
    shell.overlay?.onPaste?.(text)
    shell.pressed()
  })
  const lines = frameRows(shell, size, everywhere(shell))
  return (
    <Box flexDirection="column" width={size.width} height={lines.length}>
      {lines.map((line, index) => (
        // A line is identified only by its position on the screen.
        // oxlint-disable-next-line react/no-array-index-key
        <Line key={index} text={printed([line], shell.colour) || ' '} />
      ))}
    </Box>
  )
}

/** One line with its colours; not rendered again while it is unchanged. */
const Line = memo(({ text }: { text: string }) => <Text wrap="truncate">{text}</Text>)

function press(shell: Shell, key: KeyName, size: Size): void {
  void shell.attempt(async () => {
    const { overlay } = shell
    if (overlay) {
      if (key === 'ctrl+c') shell.quit()
      // An answer may open the next prompt, which must stay.
      else if (overlay.onKey(key) && shell.overlay === overlay) shell.show(undefined)
      return
    }
    const screen = shell.screens.at(-1)
    if (!screen) return
    const binding = [...bindingsOf(shell, screen), ...everywhere(shell)].find((each) => each.key === key)
    if (binding) await binding.run()
    else screen.onKey?.(key, bodySize(size))
  })
}
