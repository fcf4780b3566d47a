/** What templates of a command may name. The task token is not among them: arguments are seen by the whole machine. */
export const commandPlaceholders = [
  'prompt',
  'systemPrompt',
  'skills',
  'model',
  'maxTurns',
  'sessionId',
  'wakeReason',
  'agentRole',
  'runId',
  'tenantId',
  'baseUrl',
  'cwd',
  'home',
] as const
export type Values = Record<(typeof commandPlaceholders)[number], string>

/** Names in a template that stand for nothing. */
export function unknownNames(template: string): string[] {
  const names = [...template.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name as string)
  return names.filter((name) => !(commandPlaceholders as readonly string[]).includes(name))
}

/** Texts that no one takes for the name of an option when a space stands before them. */
const prose = new Set(['prompt', 'systemPrompt', 'skills'])

/**
 * The arguments of a command for one run. What tenants and models have written never begins an argument with a dash: it
 * would be taken for an option.
 * @throws RangeError that names the value for which there is no way around it
 */
export function argumentsOf(templates: readonly string[], values: Values): string[] {
  return templates.map((template) => {
    const filled = fill(template, values).replaceAll('\0', '')
    const first = /^\{\{\s*(\w+)\s*\}\}/.exec(template)?.[1]
    if (first === undefined || !filled.startsWith('-')) return filled
    if (!prose.has(first)) throw new RangeError(`The value of ${first} begins with "-", as an option would`)
    return ` ${filled}`
  })
}

/** Fills `{{name}}` placeholders; an unknown one is left out. */
export function fill<N extends string>(template: string, values: Record<N, string>): string {
  return template.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) =>
    Object.hasOwn(values, name) ? values[name as N] : '',
  )
}
