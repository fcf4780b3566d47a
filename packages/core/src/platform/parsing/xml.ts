import { Parser } from 'htmlparser2'
import { tooDeep, tooLarge } from './faults.ts'
import { parsingLimits } from './limits.ts'
import { ParseFault } from './parsed.ts'

/** An element of XML. Names of elements are without prefixes, those of attributes with. */
export interface XmlElement {
  name: string
  attributes: Readonly<Record<string, string>>
  children: XmlElement[]
  /** The text in it that is in none of its children. */
  text: string
}

/** What one element may hold in memory. */
const mostElements = 200_000

/**
 * Reads XML as it comes and yields the elements of one name, each once it is complete; nothing else is kept. Entities that the
 * file defines itself are not expanded: Office documents have none, and a file that defines any is refused.
 * @param name of the elements, without prefix; without a name, the outermost element
 * @throws ParseFault `corrupt`, `too_deep` or `too_large`, and what `chunks` throws
 */
export async function* elementsOf(
  chunks: AsyncIterable<Uint8Array>,
  name?: string,
): AsyncGenerator<XmlElement> {
  const ready: XmlElement[] = []
  const parser = createElementParser(name, (element) => void ready.push(element))
  let decoder: TextDecoder | undefined
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(chunk[0] === 0xff ? 'utf-16le' : chunk[0] === 0xfe ? 'utf-16be' : 'utf-8')
    parser.write(decoder.decode(chunk, { stream: true }))
    yield* ready.splice(0)
  }
  parser.end()
  yield* ready
}

/** The outermost element of XML with all that is in it. @throws ParseFault as `elementsOf` */
export async function readXml(chunks: AsyncIterable<Uint8Array>): Promise<XmlElement> {
  for await (const root of elementsOf(chunks)) return root
  throw notXml()
}

function createElementParser(wanted: string | undefined, onElement: (element: XmlElement) => void): Parser {
  /** From the wanted element down to the one that is open. */
  const open: XmlElement[] = []
  let depth = 0
  let count = 0
  return new Parser(
    {
      onopentag(tag, attributes) {
        depth += 1
        if (depth > parsingLimits.nesting) throw tooDeep(parsingLimits.nesting)
        const name = tag.slice(tag.indexOf(':') + 1)
        if (open.length === 0 && wanted !== undefined && name !== wanted) return
        if (open.length === 0) count = 0
        count += 1
        if (count > mostElements) throw tooLarge(mostElements, 'elements in one of its parts')
        const element = { name, attributes, children: [], text: '' }
        open.at(-1)?.children.push(element)
        open.push(element)
      },
      ontext(text) {
        const element = open.at(-1)
        if (element) element.text += text
      },
      onclosetag() {
        depth -= 1
        const element = open.pop()
        if (element && open.length === 0) onElement(element)
      },
      onprocessinginstruction(name) {
        if (name.startsWith('!')) throw notXml()
      },
    },
    { xmlMode: true },
  )
}

/** All text in an element, in order. */
export function textOf({ text, children }: XmlElement): string {
  return children.length === 0 ? text : text + children.map(textOf).join('')
}

/** The first child of a name. */
export const childOf = (element: XmlElement | undefined, name: string) =>
  element?.children.find((child) => child.name === name)

/** The children of a name. */
export const childrenOf = (element: XmlElement | undefined, name: string) =>
  element?.children.filter((child) => child.name === name) ?? []

/** All elements of a name at any depth, in order; those within them are not looked for. */
export function descendantsOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => (child.name === name ? [child] : descendantsOf(child, name)))
}

const notXml = () =>
  new ParseFault(
    'corrupt',
    'This file has content that no such document has. Save it again in the program that made it, and upload the new file.',
  )
