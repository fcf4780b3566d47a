import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { EndpointInfo } from '@copydesk/core'
import type { Limits } from './watchdog.ts'

/** Messages to the process of the server. */
export type Order =
  | { kind: 'play'; id: string; seed: number; numRuns: number; path?: string }
  | { kind: 'stop' }

/** What became of it. */
export interface Report {
  /** Of the answers. */
  statuses: number[]
  /** The first failure with its seed and the smallest request that shows it. */
  fault?: string
}

export type Told =
  | { kind: 'ready' }
  | { kind: 'case'; number: number; request: string }
  | { kind: 'report'; report: Report }

/** Plays requests against a server in a process of its own. */
export interface Player extends AsyncDisposable {
  /** @throws Error with the seed and the smallest request that goes wrong, or costs the server too much */
  play(info: EndpointInfo, runs: { seed: number; numRuns: number }): Promise<number[]>
  /** Ends the server. @throws Error when it has not let go of every request */
  stop(): Promise<void>
}

const program = fileURLToPath(new URL('./player-process.ts', import.meta.url))

export interface PlayerOptions {
  /** Default: the usual ones. */
  limits?: Limits
  /** How many times a request that never ends is made smaller: the server is started again for each. Default 12. */
  mostSteps?: number
}

interface CutOff {
  why: string
  number: number
  request: string
}

/** @param way through `fetch`, as bytes over a socket, or to something that never ends in place of the server */
export async function createPlayer(
  way: 'fetch' | 'socket' | 'endless',
  { limits, mostSteps = 12 }: PlayerOptions = {},
): Promise<Player> {
  const begin = () => start([way, ...(limits ? [JSON.stringify(limits)] : [])])
  let server = await begin()

  const order = async (what: Order): Promise<{ report: Report } | { cutOff: CutOff }> => {
    const answer = await server.ask(what)
    if ('cutOff' in answer) server = await begin()
    return answer
  }

  /** From the case that never ended on to smaller ones. */
  const shrink = async (id: string, seed: number, first: CutOff) => {
    let found = { ...first, path: String(first.number) }
    for (let step = 0; step < mostSteps; step += 1) {
      const answer = await order({ kind: 'play', id, seed, numRuns: 30, path: `${found.path}:0` })
      if (!('cutOff' in answer)) break
      found = { ...answer.cutOff, path: `${found.path}:${answer.cutOff.number}` }
    }
    return found
  }

  return {
    async play({ id }, { seed, numRuns }) {
      const answer = await order({ kind: 'play', id, seed, numRuns })
      if ('cutOff' in answer) {
        const { why, path, request } = await shrink(id, seed, answer.cutOff)
        throw new Error(`The request ${why}\n{ seed: ${seed}, path: "${path}" }\n${request}`)
      }
      if (answer.report.fault !== undefined) throw new Error(answer.report.fault)
      return answer.report.statuses
    },
    async stop() {
      const answer = await order({ kind: 'stop' })
      if ('cutOff' in answer) throw new Error(`Stopping ${answer.cutOff.why}`)
      if (answer.report.fault !== undefined) throw new Error(answer.report.fault)
    },
    async [Symbol.asyncDispose]() {
      await server.end()
    },
  }
}

async function start(args: readonly string[]) {
  const child = fork(program, args, {
    execArgv: ['--conditions=@copydesk/source', '--expose-gc'],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    serialization: 'advanced',
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-4_000)
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await first(child, ended, () => said, 'ready')
  return {
    async ask(what: Order): Promise<{ report: Report } | { cutOff: CutOff }> {
      said = ''
      let last = { number: 0, request: 'nothing' }
      const remember = (message: Told) => {
        if (message.kind === 'case') last = message
      }
      child.on('message', remember)
      try {
        child.send(what)
        const { report } = await first(child, ended, () => said, 'report')
        return { report }
      } catch (error) {
        return { cutOff: { ...last, why: (error as Error).message } }
      } finally {
        child.off('message', remember)
      }
    },
    async end() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The first message of a kind. @throws Error with what the process said when it ends before */
function first<K extends Told['kind']>(
  child: ChildProcess,
  ended: Promise<void>,
  said: () => string,
  kind: K,
): Promise<Extract<Told, { kind: K }>> {
  return new Promise((resolve, reject) => {
    const listen = (message: Told) => {
      if (message.kind !== kind) return
      child.off('message', listen)
      resolve(message as Extract<Told, { kind: K }>)
    }
    child.on('message', listen)
    void ended.then(() => reject(new Error(said().trim() || 'ended the server')))
  })
}
