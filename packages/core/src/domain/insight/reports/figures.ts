/** What a report counts; money in micro-dollars. Pure, no I/O. */
export interface Counts {
  spentMicros: number
  runs: number
  /** Pieces whose final step was done. */
  finished: number
  /** Pieces that got their first verdict, those approved by it, and those that a person edited. */
  decided: number
  firstPass: number
  edited: number
}

export interface Part extends Counts {
  label: string
}

export interface Figures extends Counts {
  campaigns: Part[]
  agents: Part[]
  /** Finished pieces by the name of their type, most first. */
  types: Array<{ label: string; finished: number }>
}

/** One sum of the database, by campaign and agent. */
export interface FigureRow extends Partial<Counts> {
  campaign: string | null
  campaignId: string | null
  agent: string | null
  type?: string | null
}

const none = (): Counts => ({ spentMicros: 0, runs: 0, finished: 0, decided: 0, firstPass: 0, edited: 0 })
const names = ['spentMicros', 'runs', 'finished', 'decided', 'firstPass', 'edited'] as const

function add(to: Counts, line: Partial<Counts>): void {
  for (const name of names) to[name] += line[name] ?? 0
}

/** Puts the sums together: in all, by campaign, by agent, by type. */
export function figuresOf(lines: readonly FigureRow[]): Figures {
  const total = none()
  const campaigns = new Map<string, Part>()
  const agents = new Map<string, Part>()
  const types = new Map<string, number>()
  const partOf = (parts: Map<string, Part>, key: string, label: string) => {
    const part = parts.get(key) ?? { ...none(), label }
    parts.set(key, part)
    return part
  }
  for (const line of lines) {
    add(total, line)
    add(partOf(campaigns, line.campaignId ?? '', line.campaign ?? 'No campaign'), line)
    if (line.agent !== null) add(partOf(agents, line.agent, line.agent), line)
    if (line.type && line.finished) types.set(line.type, (types.get(line.type) ?? 0) + line.finished)
  }
  const bySpend = (a: Part, b: Part) => b.spentMicros - a.spentMicros || (a.label < b.label ? -1 : 1)
  return {
    ...total,
    campaigns: [...campaigns.values()].toSorted(bySpend),
    agents: [...agents.values()].toSorted(bySpend),
    types: [...types]
      .map(([label, finished]) => ({ label, finished }))
      .toSorted((a, b) => b.finished - a.finished || (a.label < b.label ? -1 : 1)),
  }
}
