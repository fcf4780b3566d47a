import { flow } from '../paper/flow.ts'
import { cutRow, emptyRow, type Row, row, rowWidth, span, spread } from '../paper/row.ts'
import { spoken } from '../paper/spoken.ts'
import { sentence } from './faults.ts'
import type { KeyName } from './keys.ts'
import { type Binding, bindingsOf, type Size } from './screen.ts'
import type { Shell } from './shell.ts'

/** Lines of the frame around a screen: its head, what was said last, and its keys. */
const around = 3

/** What a screen may fill of the whole terminal, `overlay` being as many lines as that takes. */
export function bodySize({ width, height }: Size, overlay = 0): Size {
  return { width, height: Math.max(1, height - around - overlay) }
}

/** Keys that mean the same on every screen. */
export function commonBindings(shell: Shell): Binding[] {
  return [
    {
      key: 'z',
      label: 'undo',
      help: 'take back what was done last, where the server can',
      run: () => shell.undo(),
    },
    { key: 'R', label: 'reload', quiet: true, run: () => shell.screens.at(-1)?.refresh() },
    {
      key: 'escape',
      label: 'back',
      help: 'back; stays at the first screen',
      quiet: true,
      run: () => {
        if (shell.screens.length > 1) shell.back()
        else shell.say('This is the first screen. q leaves the terminal.', 'dim')
      },
    },
    {
      key: 'q',
      label: shell.screens.length > 1 ? 'back' : 'leave',
      help: 'back; leaves the terminal at the first screen',
      run: () => shell.back(),
    },
    {
      key: 'ctrl+z',
      label: 'to the shell',
      help: 'to the shell below, until `fg`',
      quiet: true,
      run: () => shell.pause(),
    },
    { key: 'ctrl+c', label: 'leave', quiet: true, run: () => shell.quit() },
  ]
}

/** The whole terminal, line by line: never more lines than it has, none wider than it is. */
export function frameRows(shell: Shell, size: Size, extra: readonly Binding[]): Row[] {
  const screen = shell.screens.at(-1)
  if (!screen) return []
  const most = Math.max(1, Math.floor(size.height / 2))
  const over = safely(() => shell.overlay?.rows({ width: size.width, height: most }) ?? []).slice(0, most)
  const words = said(shell, size.width)
  const body = bodySize(size, over.length + words.length - 1)
  const lines = safely(() => screen.rows(body)).slice(0, body.height)
  const title = safely(() => [screen.title()])[0] ?? emptyRow
  if (shell.spoken) return spokenRows(shell, title, lines, over).flatMap((line) => flow(line, size.width))
  const filled = [...lines, ...Array.from({ length: body.height - lines.length }, () => emptyRow)]
  const foot = shell.overlay
    ? row(span(shell.overlay.hint, 'dim'))
    : (safely(() => [footRow([...bindingsOf(shell, screen), ...extra], size.width)])[0] ?? emptyRow)
  return [head(shell, title, size.width), ...filled, ...words, ...over, foot]
    .slice(-size.height)
    .map((line) => cutRow(line, size.width))
}

/** What a screen draws, or one sentence on why it cannot: the terminal goes on either way. */
function safely(draw: () => Row[]): Row[] {
  try {
    return draw()
  } catch (error) {
    return [row(span(`This cannot be shown. ${sentence(error)}`, 'bad'))]
  }
}

function head(shell: Shell, title: Row, width: number): Row {
  const left = [span('copydesk ', 'accent'), ...title]
  const all = standing(shell)
  // Where one is has been known for long: what stands in the way of the title goes.
  const right = all.find((each) => rowWidth(left) + rowWidth(each) < width) ?? all.at(-1) ?? []
  return spread(left, right, width)
}

/** Where one is, or that what is shown is no longer new; first with all that can be said, last with what must be. */
function standing({ link, place, tenantName, desk }: Shell): Row[] {
  const since = new Date(link.heardAt).toTimeString().slice(0, 8)
  if (link.state === 'cut') return [row(span(`no connection, as of ${since}`, 'bad'))]
  if (link.state === 'refused') return [row(span(`logged out, as of ${since}`, 'bad'))]
  const where = span(place, 'dim')
  // Whoever belongs to one tenant sees no other anyway.
  if (tenantName === undefined || desk.tenant) return [row(where), []]
  const only = span(`only ${tenantName}`, 'warn')
  return [row(only, ' ', where), row(only)]
}

/** Lines that what was said last takes at the most. */
const mostSaid = 3

function said({ message }: Shell, width: number): Row[] {
  return message ? flow([span(message.text, message.tone)], width).slice(0, mostSaid) : [emptyRow]
}

/** For a screen reader: only what matters now, without drawings, so that little is read again. */
function spokenRows(shell: Shell, title: Row, lines: readonly Row[], over: readonly Row[]): Row[] {
  const { message, link, overlay } = shell
  return [
    spoken(title),
    ...(link.state === 'reached' ? [] : standing(shell).map(spoken)),
    ...(overlay ? [] : lines.map(spoken)),
    ...(message ? [row(message.text)] : []),
    ...over.map(spoken),
    ...(overlay ? [row(overlay.hint)] : []),
  ].filter((line) => line.length > 0)
}

/** As many keys as there is room for; the last one, the help that tells them all, is always there. */
function footRow(bindings: readonly Binding[], width: number): Row {
  const shown = bindings.filter(({ quiet }) => !quiet).map(keyWithLabel)
  const last = shown.pop() ?? emptyRow
  let line: Row = emptyRow
  for (const each of shown) {
    if (rowWidth(line) + rowWidth(each) + rowWidth(last) + 4 > width) break
    line = [...line, ...each, span('  ')]
  }
  return [...line, ...last]
}

function keyWithLabel({ key, label }: Binding): Row {
  return [span(keyLabel(key), 'strong'), span(` ${label}`, 'dim')]
}

const signs: Record<string, string> = {
  enter: '⏎',
  escape: 'esc',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pageup: 'pgup',
  pagedown: 'pgdn',
}

/** A key as it is written on the screen. */
export function keyLabel(key: KeyName): string {
  return signs[key] ?? key.replace(/^ctrl\+/, '^')
}
