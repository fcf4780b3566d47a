import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findCompiler } from '../../config/compiler.ts'
import { folderOfRun } from '../kit/database.ts'
import { createDisk, type DiskStep } from './disk.ts'
import { chosenSeed, type Random, randomFrom } from './random.ts'

const compiler = findCompiler()

/** True where there is a C compiler: the tests of power cuts preload what it makes, and are skipped elsewhere. */
export const canCutPower = compiler !== undefined

/** How often the power is cut in a test; `COPYDESK_KILLS=100` for the long form. */
const cuts = Number(process.env['COPYDESK_KILLS'] ?? 30)

/** Finds the promises that what a power cut has left in a folder breaks; `answers` are the lines answered until then. */
export type Judge = (folder: string, answers: readonly string[]) => Promise<string[]>

/**
 * Runs the program at a path to its end, which gets a folder of its own as its first argument and writes each answer as a line to the file
 * `answers` in it. Then cuts the power at many of its steps, until a promise is broken.
 * @returns all its steps and answers, and a sentence for each broken promise
 */
export async function cutPower(program: string, args: readonly string[], judge: Judge) {
  mkdirSync(folderOfRun(), { recursive: true })
  const scratch = mkdtempSync(join(folderOfRun(), 'power-cut-'))
  try {
    const random = randomFrom(chosenSeed())
    const steps = await recordSteps(scratch, program, args)
    const moments = chooseMoments(steps, random)
    const disk = createDisk()
    const answers: string[] = []
    const broken: string[] = []
    for (const [n, step] of steps.entries()) {
      disk.apply(step)
      if (isAnswer(step)) answers.push(step.bytes.toString().trim())
      if (!moments.has(n) || broken.length > 0) continue
      const left = join(scratch, 'left')
      disk.leave(left, random)
      broken.push(...(await judge(left, answers)))
    }
    return { steps, answers, broken }
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

const isAnswer = ({ kind, name }: DiskStep) => kind === 'write' && name === 'answers'

/** Every other one comes right after an answer. */
function chooseMoments(steps: readonly DiskStep[], random: Random): Set<number> {
  const afterAnswers = [...steps.entries()].flatMap(([n, step]) => (isAnswer(step) ? [n] : []))
  const any = (from: readonly number[]) => from[Math.floor(random() * from.length)] as number
  return new Set(
    Array.from({ length: cuts }, (_, cut) => any(cut % 2 === 0 ? afterAnswers : [...steps.keys()])),
  )
}

async function recordSteps(scratch: string, program: string, args: readonly string[]): Promise<DiskStep[]> {
  const [library, folder, log] = [join(scratch, 'power-cut.so'), join(scratch, 'disk'), join(scratch, 'log')]
  const source = fileURLToPath(new URL('./power-cut.c', import.meta.url))
  execFileSync(compiler ?? '', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], { stdio: 'pipe' })
  mkdirSync(folder)
  const child = fork(program, [folder, ...args], {
    execArgv: ['--conditions=@copydesk/source'],
    env: { ...process.env, LD_PRELOAD: library, POWER_CUT_FOLDER: folder, POWER_CUT_LOG: log },
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${program} ended with ${code}`)
  return readSteps(readFileSync(log))
}

const kinds: Record<string, DiskStep['kind']> = {
  c: 'create',
  d: 'folder',
  l: 'link',
  r: 'rename',
  s: 'sync',
  t: 'truncate',
  u: 'unlink',
  w: 'write',
}

/** Each is a `struct record` of the C source, the name and the bytes. */
function readSteps(log: Buffer): DiskStep[] {
  const steps: DiskStep[] = []
  for (let at = 0; at < log.length; ) {
    const kind = kinds[String.fromCharCode(log.readUInt32LE(at))]
    if (!kind) throw new Error(`there is no step at byte ${at} of the log`)
    const bytesAt = at + 24 + log.readUInt32LE(at + 4)
    const end = bytesAt + Number(log.readBigUInt64LE(at + 16))
    const offset = Number(log.readBigUInt64LE(at + 8))
    const name = log.toString('utf8', at + 24, bytesAt)
    steps.push({ kind, name, offset, bytes: log.subarray(bytesAt, end) })
    at = end
  }
  return steps
}
