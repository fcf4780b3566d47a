import { render } from 'ink'
import { spawn } from 'node:child_process'
import { setFlagsFromString } from 'node:v8'
import type { Client } from '@copydesk/client'
import type { Drafts } from '../account/drafts.ts'
import type { History } from '../account/history.ts'
import { App } from './app.tsx'
import { sentence } from './faults.ts'
import { homeScreen } from './home-screen.ts'
import { createShell } from './shell.ts'
import type { Surroundings } from './surroundings.ts'

export interface TerminalOptions {
  client: Client
  /** Shown at the top: the profile, the server and the person. */
  place: string
  own?: Surroundings['own']
  tenantId?: string
  past: History
  drafts: Drafts
}

/** Frames a second that ink may draw; what nobody typed is gathered before, so that keys never wait for a frame. */
const mostFrames = 250
/** How often the ages on the screen are told anew, milliseconds. */
const agesMs = 30_000

/** Opens the terminal on this process's own; resolves when it is left. */
export async function openTerminal({ client, place, own, tenantId, past, drafts }: TerminalOptions): Promise<void> {
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
        // What is still to come keeps no program alive that has been left.
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
  // A fault in a screen is told in the terminal, which is more use to the person than its end.
  const tell = (fault: unknown) => shell.say(sentence(fault), 'bad')
  process.on('uncaughtException', tell).on('unhandledRejection', tell)
  // What was typed while the program was loading stands on the line; the first frame begins before it.
  process.stdin.setRawMode?.(true)
  process.stdout.write('\r')
  const ages = setInterval(() => shell.changed(), agesMs)
  try {
    // Where the server has to be asked whose they are, that takes its time.
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
 * Keeps the room for new objects as small as it is at the start. V8 would let it grow to 128 MiB, because every frame and every
 * answer leave something behind, though never more than a few megabytes live: much for a program that stays open all day.
 */
function keepSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Puts a text into the clipboard of the terminal, also of one far away (OSC 52). */
function copySequence(text: string): string {
  return `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`
}

/** Within so many milliseconds a stop has taken effect, where there is one. */
const stopMs = 100

/** Stops this process as Ctrl-Z does; resolves when it goes on. */
async function pauseProcess(): Promise<void> {
  process.kill(0, 'SIGTSTP')
  // The stop takes its time to come. The timer runs on with the process; where no shell stops that, it goes on at once.
  await new Promise((resolve) => setTimeout(resolve, stopMs))
}

/** Opens a file in the person's editor until that ends. @throws Error when it ends with a fault */
async function editFile(
  file: string,
  release: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
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
