import { describe, expect, it } from 'vitest'
import { newsletterOf } from '../../../packages/core/src/domain/work/content/newsletter.ts'

describe('newsletterOf', () => {
  it('takes subject and preview out of the text, in bold or not, below a heading or without one', () => {
    const text =
      '# News\n\n**Subject:** Ovens on\n\n**Preview:** Rye at night\n\nHello,\n\nSubject: to change.'
    expect(newsletterOf(text)).toEqual({
      subject: 'Ovens on',
      preview: 'Rye at night',
      body: '# News\n\n\n\nHello,\n\nSubject: to change.',
    })
    expect(newsletterOf('Subject: Ovens on\nPreview text: Rye at night\n\nHello,')).toEqual({
      subject: 'Ovens on',
      preview: 'Rye at night',
      body: '\nHello,',
    })
  })

  it('leaves a text without such lines as it is, and takes its title', () => {
    for (const body of ['# News\n\nHello,\n\nPreview: no', 'Hello,', '', 'Subjects: no', 'Subject:'])
      expect(newsletterOf(body)).toMatchObject({ preview: '', body })
    expect(newsletterOf('# News\n\nHello').subject).toBe('News')
  })

  it('keeps the first of several, and reads long lines as text', () => {
    expect(newsletterOf('Subject: One\nSubject: Two\nHello')).toMatchObject({ subject: 'One', body: 'Hello' })
    const long = `Subject: ${'*'.repeat(5_000)}`
    expect(newsletterOf(long).body).toBe(long)
    expect(newsletterOf(`Subject: ${'x'.repeat(900)}`).subject).toHaveLength(200)
  })
})
