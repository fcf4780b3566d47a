import { parse } from 'yaml'

const longestFrontMatter = 65_536

/** What the front matter of a Markdown file says, and what follows it. */
interface FrontMatter {
  title: string | null
  language: string | null
  body: string
}

/** The block of YAML at the beginning of a text; undefined where there is none. @param text begins with `---` */
export function takeFrontMatter(text: string): FrontMatter | undefined {
  const end = text.slice(0, longestFrontMatter).search(/\n---[^\S\n]*(?:\n|$)/)
  const values = end < 0 ? undefined : readYaml(text.slice(4, end + 1))
  if (values === undefined) return undefined
  const [title = null, lang, language] = ['title', 'lang', 'language'].map((name) => {
    const value = values.get(name)
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
  })
  return { title, language: lang ?? language ?? null, body: text.slice(text.indexOf('\n', end + 1) + 1) }
}

function readYaml(text: string): Map<unknown, unknown> | undefined {
  try {
    const values: unknown = parse(text, { mapAsMap: true, logLevel: 'silent' })
    return values instanceof Map ? values : undefined
  } catch {
    // A rule, and a text that has another one.
    return undefined
  }
}
