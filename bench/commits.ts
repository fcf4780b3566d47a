import { type Bench, interleave, type Metrics, more } from './measure.ts'
import { startSubject, temporaryFolder } from './processes.ts'

const delayMs = 5
const kinds = {
  byHand: { name: 'commits.sqlite', aim: 'ratio 6' },
  inOrm: { name: 'commits.sqlite.orm', aim: 'ratio 6' },
  alone: { name: 'commits.sqlite.alone', aim: '' },
} as const

/**
 * Small transactions on a disk that takes five milliseconds for each commit, by 4 and by 16 writers, beside one writer. The
 * control commits each by itself: there more writers are no faster.
 */
export const commits: Bench = {
  name: 'commits',
  async run() {
    using folder = temporaryFolder()
    await using subject = await startSubject(
      'servers/commits.ts',
      { folder: folder.path, delayMs },
      folder.path,
    )
    const metrics: Metrics = {}
    for (const [kind, { name, aim }] of Object.entries(kinds)) {
      const by = (writers: number) => async () => ({ rate: await subject.ask<number>(`${kind}.${writers}`) })
      const { one, four, sixteen } = await interleave(3, { one: by(1), four: by(4), sixteen: by(16) })
      const beside = `one writer, ${delayMs} ms for each commit`
      metrics[`${name}.4`] = more(four.rate, 'transactions/s', beside, one.rate)
      metrics[`${name}.16`] = more(sixteen.rate, 'transactions/s', beside, one.rate, aim || undefined)
    }
    return metrics
  },
}
