import type { z } from 'zod'
import { members, operators, reviewers, rule, team } from './api-rules.ts'
import { check } from './domain/check.ts'
import { getPost, listPosts } from './domain/content/blog/queries.ts'
import { dmApprove, dmReject } from './domain/content/blog/review.ts'
import { BlogPostQuery, PostRejection } from './domain/content/blog/schemas.ts'
import { changeBlogRequest } from './domain/content/requests/change.ts'
import { createBlogRequest, createSocialRequest } from './domain/content/requests/create.ts'
import { listBlogRequests, listSocialRequests } from './domain/content/requests/queries.ts'
import {
  BlogRequestChange,
  BlogRequestQuery,
  NewBlogRequest,
  NewSocialRequest,
  SocialRequestQuery,
} from './domain/content/requests/schemas.ts'

import { deliverReport } from './domain/reports/deliver.ts'
import { getForReview } from './domain/reports/detail.ts'
import { orderReport } from './domain/reports/order.ts'
import { getReport, listForReview, listReports } from './domain/reports/queries.ts'
import { Delivery, NewReport, ReviewerReportQuery, TenantReportQuery } from './domain/reports/schemas.ts'

/** What people ask for, and how it is read before it goes out. */
export const contentServices = {
  blog: {
    list: rule(reviewers, (ctx, query: z.input<typeof BlogPostQuery>) =>
      listPosts(ctx, check(BlogPostQuery, query)),
    ),
    get: rule(reviewers, getPost),
    approve: rule(reviewers, dmApprove),
    reject: rule(reviewers, (ctx, id: string, rejection: z.input<typeof PostRejection>) =>
      dmReject(ctx, id, check(PostRejection, rejection)),
    ),
  },
  contentRequests: {
    createBlog: rule(members, (ctx, request: z.input<typeof NewBlogRequest>) =>
      createBlogRequest(ctx, check(NewBlogRequest, request)),
    ),
    createSocial: rule(members, (ctx, request: z.input<typeof NewSocialRequest>) =>
      createSocialRequest(ctx, check(NewSocialRequest, request)),
    ),
    listBlog: rule(members, (ctx, query: z.input<typeof BlogRequestQuery> = {}) =>
      listBlogRequests(ctx, check(BlogRequestQuery, query)),
    ),
    listSocial: rule(members, (ctx, query: z.input<typeof SocialRequestQuery> = {}) =>
      listSocialRequests(ctx, check(SocialRequestQuery, query)),
    ),
    change: rule(operators, (ctx, id: string, changes: BlogRequestChange) =>
      changeBlogRequest(ctx, id, check(BlogRequestChange, changes)),
    ),
  },
  reports: {
    order: rule(reviewers, (ctx, report: z.input<typeof NewReport>) =>
      orderReport(ctx, check(NewReport, report)),
    ),
    listForReview: rule(reviewers, (ctx, query: z.input<typeof ReviewerReportQuery> = {}) =>
      listForReview(ctx, check(ReviewerReportQuery, query)),
    ),
    getForReview: rule(reviewers, getForReview),
    deliver: rule(reviewers, (ctx, id: string, delivery: z.input<typeof Delivery>) =>
      deliverReport(ctx, id, check(Delivery, delivery)),
    ),
    list: rule(team, (ctx, query: z.input<typeof TenantReportQuery> = {}) =>
      listReports(ctx, check(TenantReportQuery, query)),
    ),
    get: rule(team, getReport),
  },
}
