import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders and files that take longest: they start processes and wait for them, or ask a great deal. */
const long = [
  'test/chaos/',
  'test/cli/agent-test',
  'test/client/',
  'test/docs/',
  'test/surfaces/fuzz',
  'test/cli/',
]

/** Starts what takes longest first, so that at the end of a run no worker waits for one long file of another. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = long.findIndex((folder) => moduleId.includes(`/${folder}`))
      return found < 0 ? long.length : found
    }
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    return [...byProject.values()].flatMap((group) => group.toSorted((a, b) => rank(a) - rank(b)))
  }
}
