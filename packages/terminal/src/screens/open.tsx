import { spawn } from 'node:child_process'
import { setFlagsFromString } from 'node:v8'
import type { Client } from '@copydesk/client'
import { render } from 'ink'
import type { Drafts } from '../account/drafts.ts'
import type { History } from '../account/history.ts'
import { App } from './app.tsx'
import { homeScreen } from './home-screen.ts'
import { sentence } from './requests.ts'
import { createShell } from './shell.ts'
import type { Surroundings } from './surroundings.ts'

export interface TerminalOptions {
  client: Client
  /** Shown at the top: the profile, the server and the user. */
  place: string
  own?: Surroundings['own']
  tenantId?: string
  past: History
  drafts: Drafts
}

/**
 * Maximum frames a second for output that no key caused; such output is collected before, so that keys never
 * wait for a frame.
 */
const mostFrames = 250
/** How often ages on the screen are updated, milliseconds. */
const agesMs = 30_000

/** Opens the client on this process's terminal; resolves when the user leaves it. */
export async function openTerminal({
  client,
  place,
  own,
  tenantId,
  past,
  drafts,
}: TerminalOptions): Promise<void> {
  keepSmall()
  const spoken = process.env['INK_SCREEN_READER'] === 'true'
  let release: (work: () => Promise<void>) => Promise<void> = (work) => work()
  let leave: () => void = () => undefined
  const shell = createShell(
    {
      client,
      place,
      past,
      drafts,
      ...(own && { own }),
      ...(tenantId !== undefined && { tenantId }),
      now: Date.now,
      after(ms, fn) {
        // Pending requests must not keep the process alive after the user has left.
        const timer = setTimeout(fn, ms).unref()
        return () => clearTimeout(timer)
      },
      copy: (text) => void process.stdout.write(copySequence(text)),
      pause: () => release(pauseProcess),
      edit: (file) => editFile(file, release),
      spoken,
      colour: !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb' && !spoken,
    },
    () => leave(),
  )
  // An error in a screen is shown in the terminal, which is more useful than a crash.
  const tell = (fault: unknown) => shell.say(sentence(fault), 'bad')
  process.on('uncaughtException', tell).on('unhandledRejection', tell)
  // Keys typed while the program was loading are echoed on the line; the first frame clears it.
  process.stdin.setRawMode?.(true)
  process.stdout.write('\r')
  const ages = setInterval(() => shell.changed(), agesMs)
  try {
    // When the server has to be asked for the user, the drafts are loaded later.
    drafts.onChange = () => shell.changed()
    void drafts.load().catch(() => undefined)
    shell.open(homeScreen)
    const app = render(<App shell={shell} suspend={(suspend) => (release = suspend)} />, {
      alternateScreen: true,
      incrementalRendering: true,
      exitOnCtrlC: false,
      interactive: true,
      maxFps: mostFrames,
      isScreenReaderEnabled: spoken,
    })
    leave = () => app.unmount()
    await app.waitUntilExit()
  } finally {
    clearInterval(ages)
    process.off('uncaughtException', tell).off('unhandledRejection', tell)
  }
}

/**
 * Keeps the heap for new objects at its initial size. V8 would let it grow to 128 MiB, because every frame
 * and every response leaves garbage behind, although only a few megabytes are live: much for a program that
 * stays open all day.
 */
function keepSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Copies a text to the clipboard of the terminal, also over a remote connection (OSC 52). */
function copySequence(text: string): string {
  return `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`
}

/** Maximum time until a stop signal takes effect, if it does, milliseconds. */
const stopMs = 100

/** Stops this process like Ctrl-Z; resolves when it continues. */
async function pauseProcess(): Promise<void> {
  process.kill(0, 'SIGTSTP')
  // The signal takes effect later. The timer resumes with the process; when no shell stops the process, it
  // continues at once.
  await new Promise((resolve) => setTimeout(resolve, stopMs))
}

/** Opens a file in the user's editor until it exits. @throws Error when the editor fails */
async function editFile(file: string, release: (work: () => Promise<void>) => Promise<void>): Promise<void> {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi'
  let code: number | string | null = 0
  await release(
    () =>
      new Promise((resolve, reject) => {
        // An editor may be a command with options, such as `code --wait`.
        const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, editor, file], { stdio: 'inherit' })
        child.on('error', reject)
        child.on('exit', (ended, signal) => {
          code = ended ?? signal
          resolve()
        })
      }),
  )
  if (code !== 0) throw new Error(`${editor} ended with ${code}`)
}
