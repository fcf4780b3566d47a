import { appendFileSync } from 'node:fs'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { common } from './questions.mjs'

/**
 * Starts the program that `BENCH_PROGRAM` names, answers questions about it, and writes a line of its memory to a file every ten
 * seconds, MiB; see `MemorySample` in `packed.ts`. It is not loaded by an option of Node: a server that was given options leaves the
 * settings of V8 alone. No TypeScript: what strips the types would hold 20 MiB more.
 */
const { BENCH_MEMORY_FILE: file, BENCH_PROGRAM: program } = process.env
const mebibytes = (bytes) => Math.round((bytes / 2 ** 20) * 10) / 10

function sample() {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  const spaces = getHeapSpaceStatistics().map((space) => [
    space.space_name,
    mebibytes(space.physical_space_size),
  ])
  return {
    rss: mebibytes(rss),
    heapUsed: mebibytes(heapUsed),
    heapTotal: mebibytes(heapTotal),
    external: mebibytes(external),
    spaces: Object.fromEntries(spaces),
  }
}

setFlagsFromString('--expose-gc')
globalThis.gc = runInNewContext('gc')
process.on('message', async (question) => process.send((await common[question]()) ?? null))
// A channel that is listened to would keep the process alive after the server has ended.
process.channel.unref()
setInterval(() => appendFileSync(file, `${JSON.stringify(sample())}\n`), 10_000).unref()
await import(program)
