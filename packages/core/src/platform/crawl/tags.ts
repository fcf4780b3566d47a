import { Tokenizer } from 'htmlparser2'

/** What is called for the tags of HTML or XML, in their order. Nesting is not followed, so that depth costs nothing. */
export interface TagHandler {
  /** Elements whose tags and attributes are handed out; their names in lower case in HTML. */
  elements: ReadonlySet<string>
  onOpen(name: string, attributes: ReadonlyMap<string, string>): void
  onClose(name: string): void
  /** A piece of text with its references decoded. Only what HTML and XML define is; entities that a document declares are not. */
  onText(text: string): void
  /** What stands in `<!…>`. */
  onDeclaration?(text: string): void
}

/** Of a value the rest is left out, characters. */
const longestValue = 4_096

/** Reads markup once, in time that grows with its length alone. Returns early when `isDone` says so. */
export function scanTags(
  markup: string,
  kind: 'html' | 'xml',
  handler: TagHandler,
  isDone: () => boolean,
): void {
  const { elements } = handler
  const fold = (name: string) => (kind === 'html' ? name.toLowerCase() : name)
  let element = ''
  let attribute = ''
  let value = ''
  let attributes = new Map<string, string>()
  const finish = (): void => {
    if (element !== '') handler.onOpen(element, attributes)
    element = ''
    if (isDone()) tokenizer.pause()
  }
  const append = (piece: string): void => {
    if (element !== '' && value.length < longestValue) value += piece.slice(0, longestValue - value.length)
  }
  const tokenizer = new Tokenizer(
    { xmlMode: kind === 'xml', decodeEntities: true },
    {
      onopentagname(start, end) {
        const name = end - start > 64 ? '' : fold(markup.slice(start, end))
        element = elements.has(name) ? name : ''
        attributes = new Map()
      },
      onattribname(start, end) {
        attribute = element === '' || end - start > 64 ? '' : fold(markup.slice(start, end))
        value = ''
      },
      onattribdata: (start, end) => append(markup.slice(start, Math.min(end, start + longestValue))),
      onattribentity: (codePoint) => append(String.fromCodePoint(codePoint)),
      onattribend() {
        if (attribute !== '' && !attributes.has(attribute)) attributes.set(attribute, value)
      },
      onopentagend: finish,
      onselfclosingtag() {
        const name = element
        finish()
        if (kind === 'xml' && name !== '') handler.onClose(name)
      },
      onclosetag(start, end) {
        const name = end - start > 64 ? '' : fold(markup.slice(start, end))
        if (elements.has(name)) handler.onClose(name)
        if (isDone()) tokenizer.pause()
      },
      ontext: (start, end) => handler.onText(markup.slice(start, end)),
      ontextentity: (codePoint) => handler.onText(String.fromCodePoint(codePoint)),
      oncdata: (start, end, offset) => handler.onText(markup.slice(start, end - offset)),
      ondeclaration(start, end) {
        handler.onDeclaration?.(markup.slice(start, Math.min(end, start + longestValue)))
        if (isDone()) tokenizer.pause()
      },
      oncomment: () => undefined,
      onprocessinginstruction: () => undefined,
      onend: () => undefined,
    },
  )
  tokenizer.write(markup)
  tokenizer.end()
}
