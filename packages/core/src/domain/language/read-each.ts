import { read } from './questions.ts'
import { type Reading, told } from './reading.ts'
import type { Request, Scene } from './scene.ts'

/** Answers for each of several tenants what is asked about them: sentence by sentence, with one table below. */
export async function readEach(scene: Scene, { said, slots }: Request): Promise<Reading> {
  const { tenants, besides } = said
  if (tenants.length > 1) return read(scene, { said, slots })
  const texts: string[] = []
  const rows: string[][] = []
  const ids: string[] = []
  let titles: readonly string[] = []
  for (const tenant of [...tenants, ...besides]) {
    const reading = await read(scene, { said: { ...said, tenants: [tenant], besides: [] }, slots })
    const { data } = reading.answer
    // What is unclear about one of them is unclear about all.
    if (!data) return reading
    texts.push(data.text)
    ids.push(...reading.ids)
    const [head, ...lines] = data.table ?? []
    if (!head) continue
    const isNamed = head.includes('Tenant')
    titles = isNamed ? head : ['Tenant', ...head]
    rows.push(...lines.map((line) => (isNamed ? line : [tenant.name, ...line])))
  }
  return told(texts.join(' '), { titles, rows }, { ids })
}
