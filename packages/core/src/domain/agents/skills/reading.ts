import { z } from 'zod'
import { DomainError } from '../../../kernel/errors.ts'
import type { ModelTool } from '../../../platform/models/port.ts'
import type { AgentSkill } from './queries.ts'

/** Reading is no work: it is no evidence that anything was done. */
export const readSkillTool = 'read_skill'

const Reading = z.object({
  name: z.string().describe('Name of the skill'),
  reference: z.string().optional().describe('Name of one of the texts that the skill refers to'),
})

/** A system prompt that says which skills there are and when to read them; without skills as it is. */
export function withManifest(systemPrompt: string, skills: readonly AgentSkill[]): string {
  if (skills.length === 0) return systemPrompt
  const list = skills.map(({ name, description }) => `- ${name}: ${description.replace(/\s+/g, ' ')}`)
  return `${systemPrompt}\n\n# Skills\n\nBefore you begin, read each of these with ${readSkillTool} that fits the task, and keep to it:\n\n${list.join('\n')}`
}

/** The tool by which a model reads its skills, as they were when the run began; none without skills. */
export function readingTools(skills: readonly AgentSkill[]): ModelTool[] {
  if (skills.length === 0) return []
  return [
    {
      name: readSkillTool,
      description: 'Read one of your skills, or a text that it refers to.',
      input: Reading,
      execute: async (value) => read(skills, value as z.output<typeof Reading>),
    },
  ]
}

function read(skills: readonly AgentSkill[], { name, reference }: z.output<typeof Reading>) {
  const skill = skills.find((one) => one.name === name)
  if (!skill) throw missing('skill', name, skills)
  if (reference === undefined) {
    const references = skill.references.map((one) => one.name)
    return { name, content: skill.content, ...(references.length > 0 && { references }) }
  }
  const found = skill.references.find((one) => one.name === reference)
  if (!found) throw missing('reference', reference, skill.references)
  return { name: reference, content: found.content }
}

/** Tells the model what it can ask for instead. */
function missing(what: string, name: string, there: ReadonlyArray<{ name: string }>): DomainError {
  const names = there.map((one) => one.name).join(', ') || 'none'
  return new DomainError('NOT_FOUND', `There is no ${what} ${name}; there are: ${names}`)
}
