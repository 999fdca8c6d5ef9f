/** Endpoints of comments. */
import {
  Comment,
  CommentRequest,
  CommentsAnswer,
  DeleteCommentRequest,
  EditCommentRequest,
  MentionsAnswer,
  MOST_RESOLVED,
} from '../comments';
import { text } from '../primitives';

import { created, type Endpoints, json, nothing, wholeNumber } from './endpoint';

export const COMMENT_ENDPOINTS = {
  'GET /versions/{id}/comments': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'The comments of a version',
    query: {
      resolved: {
        schema: wholeNumber(0, MOST_RESOLVED),
        description:
          'How many resolved threads are returned at most: the most recently resolved ones; by default all. Open threads are always returned',
      },
    },
    answer: json(CommentsAnswer),
  },
  'POST /versions/{id}/comments': {
    role: 'planner',
    territories: 'judged',
    summary: 'Comment on a slice, or reply to a comment; on a closed version too',
    request: CommentRequest,
    takesKey: true,
    answer: created(Comment),
    refusals: [409],
  },
  'PATCH /comments/{id}': {
    role: 'planner',
    territories: 'judged',
    summary: 'Change the text of an own comment, or resolve or reopen a thread',
    request: EditCommentRequest,
    answer: json(Comment),
    refusals: [403],
  },
  'DELETE /comments/{id}': {
    role: 'planner',
    territories: 'judged',
    summary: 'Delete an own comment without replies',
    request: DeleteCommentRequest,
    answer: nothing,
    refusals: [403, 409],
  },
  'GET /comments/mentions': {
    role: 'reader',
    territories: 'narrowed',
    summary: 'Comments in unresolved threads that mention a user, newest first',
    query: {
      user: {
        schema: text,
        description: 'The mentioned user. Ignored if people are signed in: then the sender',
      },
    },
    answer: json(MentionsAnswer),
  },
} satisfies Endpoints;
