import { posix } from 'node:path'
import { childOf, childrenOf, readXml, textOf, type XmlElement } from './xml.ts'
import type { ZipEntries } from './zip.ts'

/** The part of an Office document that another one refers to. */
export interface Relation {
  /** The last part of its type, such as `slide`. */
  type: string
  /** The name of its entry. */
  part: string
}

/** What a part refers to within its document, by id. @throws ParseFault */
export async function relationsOf(zip: ZipEntries, part: string): Promise<Map<string, Relation>> {
  const file = posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`)
  if (!zip.has(file)) return new Map()
  const root = await readXml(zip.stream(file))
  const found = new Map<string, Relation>()
  for (const { attributes } of childrenOf(root, 'Relationship')) {
    const { Id: id, Target: target = '', Type: type = '', TargetMode: mode } = attributes
    if (id === undefined || mode === 'External') continue
    const path = target.startsWith('/') ? target.slice(1) : posix.join(posix.dirname(part), target)
    found.set(id, { type: type.slice(type.lastIndexOf('/') + 1), part: path })
  }
  return found
}

/** The main part of a document. */
export async function mainPart(zip: ZipEntries, usual: string): Promise<string> {
  const relations = await relationsOf(zip, '')
  const main = [...relations.values()].find(({ type }) => type === 'officeDocument')?.part
  return main !== undefined && zip.has(main) ? main : usual
}

/** The parts that the elements of a list refer to, in their order. */
export function partsOf(elements: readonly XmlElement[], relations: ReadonlyMap<string, Relation>) {
  return elements.map((element) => {
    // The prefix is the file's own choice.
    const key = Object.keys(element.attributes).find((name) => /^\w+:id$/.test(name))
    const id = key === undefined ? undefined : element.attributes[key]
    return { element, part: id === undefined ? undefined : relations.get(id)?.part }
  })
}

/** The title and language that the properties of an Office document name. */
export async function propertiesOf(
  zip: ZipEntries,
): Promise<{ title: string | null; language: string | null }> {
  const file = 'docProps/core.xml'
  if (!zip.has(file)) return { title: null, language: null }
  const root = await readXml(zip.stream(file))
  const property = (name: string) => {
    const element = childOf(root, name)
    return (element && textOf(element).trim()) || null
  }
  return { title: property('title'), language: property('language') }
}
