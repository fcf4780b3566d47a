import { describe, expect, it } from 'vitest'
import { problemsOf } from '../../../packages/core/src/domain/delivery/publishing/piece.ts'

const media = { min: 1, max: 2 }
const graphemes = (text: string) => [...new Intl.Segmenter().segment(text)].length
const limits = [
  { max: 3, unit: 'characters', count: graphemes },
  { max: 20, unit: 'bytes', count: (text: string) => Buffer.byteLength(text) },
]
const picture = { url: 'https://oats.example/a.jpg', alt: '' }

describe('problemsOf', () => {
  it('counts each measure as the platform does', () => {
    const family = '👩‍👩‍👧‍👦'
    expect(problemsOf({ text: 'oat', media: [picture] }, { text: limits, media })).toEqual([])
    expect(problemsOf({ text: family, media: [picture] }, { text: limits, media })).toEqual([
      'The text has 25 bytes, and this channel takes 20',
    ])
    expect(problemsOf({ text: 'oats', media: [] }, { text: limits, media })).toEqual([
      'The text has 4 characters, and this channel takes 3',
      'This channel needs a picture',
    ])
    const three = [picture, picture, picture]
    expect(problemsOf({ text: '', media: three }, { text: limits, media })).toEqual([
      'This channel takes 2 pictures, not 3',
    ])
  })
})
