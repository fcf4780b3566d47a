import { flow } from '../render/flow.ts'
import { cutRow, emptyRow, row, rowWidth, type StyledLine, span, spread } from '../render/row.ts'
import { spoken } from '../render/spoken.ts'
import type { KeyName } from './keys.ts'
import { sentence } from './requests.ts'
import { type Binding, bindingsOf, type Size } from './screen.ts'
import type { Shell } from './shell.ts'

/** Lines of the frame around a screen: its head, the last message, and its keys. */
const around = 3

/** The room for a screen in the whole terminal, `overlay` being the number of lines of the overlay. */
export function bodySize({ width, height }: Size, overlay = 0): Size {
  return { width, height: Math.max(1, height - around - overlay) }
}

/** Keys that work on every screen. */
export function commonBindings(shell: Shell): Binding[] {
  return [
    {
      key: 'z',
      label: 'undo',
      help: 'undo the last operation, where the server can',
      run: () => shell.undo(),
    },
    { key: 'R', label: 'reload', quiet: true, run: () => shell.screens.at(-1)?.refresh() },
    {
      key: 'escape',
      label: 'back',
      help: 'back; has no effect on the first screen',
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

/** All lines of the terminal: never more than its rows, none wider than its columns. */
export function frameRows(shell: Shell, size: Size, extra: readonly Binding[]): StyledLine[] {
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

/** The lines of a screen, or an error message when it cannot be drawn: the terminal continues. */
function safely(draw: () => StyledLine[]): StyledLine[] {
  try {
    return draw()
  } catch (error) {
    return [row(span(`This screen cannot be shown. ${sentence(error)}`, 'bad'))]
  }
}

function head(shell: Shell, title: StyledLine, width: number): StyledLine {
  const left = [span('copydesk ', 'accent'), ...title]
  const all = standing(shell)
  // The location is dropped when it does not fit beside the title.
  const right = all.find((each) => rowWidth(left) + rowWidth(each) < width) ?? all.at(-1) ?? []
  return spread(left, right, width)
}

/** The location, or that the shown data is outdated; variants from the longest to the shortest. */
function standing({ link, place, tenantName, context }: Shell): StyledLine[] {
  const since = new Date(link.heardAt).toTimeString().slice(0, 8)
  if (link.state === 'cut') return [row(span(`no connection, as of ${since}`, 'bad'))]
  if (link.state === 'refused') return [row(span(`logged out, as of ${since}`, 'bad'))]
  const where = span(place, 'dim')
  // A user of one tenant sees no other tenant anyway.
  if (tenantName === undefined || context.tenant) return [row(where), []]
  const only = span(`only ${tenantName}`, 'warn')
  return [row(only, ' ', where), row(only)]
}

/** Maximum number of lines of the last message. */
const mostSaid = 3

function said({ message }: Shell, width: number): StyledLine[] {
  return message ? flow([span(message.text, message.tone)], width).slice(0, mostSaid) : [emptyRow]
}

/** For a screen reader: only what matters now, without decoration, so that little is read again. */
function spokenRows(
  shell: Shell,
  title: StyledLine,
  lines: readonly StyledLine[],
  over: readonly StyledLine[],
): StyledLine[] {
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

/** As many keys as there is room for; the last one, the help, is always shown. */
function footRow(bindings: readonly Binding[], width: number): StyledLine {
  const shown = bindings.filter(({ quiet }) => !quiet).map(keyWithLabel)
  const last = shown.pop() ?? emptyRow
  let line: StyledLine = emptyRow
  for (const each of shown) {
    if (rowWidth(line) + rowWidth(each) + rowWidth(last) + 4 > width) break
    line = [...line, ...each, span('  ')]
  }
  return [...line, ...last]
}

function keyWithLabel({ key, label }: Binding): StyledLine {
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

/** A key as it is displayed. */
export function keyLabel(key: KeyName): string {
  return signs[key] ?? key.replace(/^ctrl\+/, '^')
}
