import { readXml, type XmlElement } from '../parsing/xml.ts'

/** An element of an answer. */
export interface BucketAnswer {
  name: string
  /** The text of the first element of that name directly within. */
  text(name: string): string | undefined
  /** The elements of that name directly within. */
  all(name: string): BucketAnswer[]
}

/** Reads the short answers of a bucket. What is no XML has no elements. */
export async function readAnswer(text: string): Promise<BucketAnswer> {
  return toBucketAnswer(await readXml(once(Buffer.from(text))).catch(() => empty))
}

const empty: XmlElement = { name: '', attributes: {}, children: [], text: '' }

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}

function toBucketAnswer({ name, children }: XmlElement): BucketAnswer {
  return {
    name,
    text: (wanted) => children.find((child) => child.name === wanted)?.text,
    all: (wanted) => children.filter((child) => child.name === wanted).map(toBucketAnswer),
  }
}
