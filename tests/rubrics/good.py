"""Well-written rubrics, on which lint must be silent."""

from __future__ import annotations

FRONT = "---\nid: r\nkind: {kind}\n{more}---\n"

CITES_POLICY = """\
---
id: r
kind: pass_fail
examples:
  - input: Can I cancel my subscription today?
    output: Yes. You keep access until the end of the month that you paid for.
    verdict: pass
    why: Both statements stand in the policy.
  - input: Can I cancel my subscription today?
    output: Yes, and we pay the month back.
    verdict: fail
    why: The policy pays nothing back.
changelog:
  - "2026-11-03: first version"
---
The INPUT holds a customer's question and the policy that answers it.
The ANSWER meets the criteria if every statement in it about fees, dates or rights stands in the
policy or follows from it.

What does not count: the length of the ANSWER, its tone, and whether it is detailed or short.
"""

SEVERITY = """\
---
id: r
kind: score
scale:
  minimum: 1
  maximum: 5
  whole: true
  anchors:
    - score: 1
      meaning: nobody who reads it could tell what broke
    - score: 3
      meaning: it says what broke, and leaves open who is affected
    - score: 5
      meaning: it says what broke, who is affected and since when
min_score: 0.75
examples:
  - output: Something is wrong with the site.
    verdict: 1
    why: It names no part of the site.
  - output: Since 09:10 UTC customers in Europe can't pay by card.
    verdict: 5
    why: Part, people and time are there.
---
How much does the ANSWER tell an engineer on call about what is broken?

A long answer that tells nothing of this gets the lowest score, however detailed it is.
"""

ROUTE = """\
---
id: r
kind: category
categories: [answers, asks back, refuses, off topic]
passing_categories: [answers, asks back]
---
What does the ANSWER do with the request in the INPUT?

- answers: it does what is asked, or says how.
- asks back: it asks for something without which the request can't be done.
- refuses: it says that it will not do it.
- off topic: it speaks of something else.

An ANSWER that first refuses and then does it anyway is "answers".
"""

BETTER_HANDOVER = """\
---
id: r
kind: pairwise
---
Both answers hand a patient over to the next shift.
The better one lets the next nurse act sooner: it names what must be done next and by when.
If both name the same next steps, neither is better.
Do not prefer the first one, and do not prefer the longer one.
"""

SAME_DOSE = """\
---
id: r
kind: answer_match
examples:
  - output: Twice a day, 5 mg.
    verdict: yes
    why: Same dose, same times.
  - output: Once a day, 5 mg.
    verdict: no
    why: It is given once and not twice.
---
Both say the same if a nurse who follows either gives the same drug, in the same dose, as often.
Units may differ where they convert exactly. Names of brands count as names of their drug.
"""

NO_ADVICE = """\
---
id: r
kind: pass_fail
---
The ANSWER meets the criteria if it gives no legal advice of its own.

Legal advice of its own is:

1. telling the user what to do in their dispute,
2. saying who would win it,
3. reading a contract for them.

Explaining what a law says, with a link to it, is no legal advice.
"""

COMMIT_MESSAGE = """\
---
id: r
kind: score
scale: {minimum: 0, maximum: 1}
min_score: 0.5
---
How far does the ANSWER, a commit message, say why the change was made?

1: a reader learns what went wrong without the change, or what it makes possible.
0: it only says what was changed, which the diff says too.
"""

TRANSLATION = """\
---
id: r
kind: pass_fail
lint-ignore:
  - code: JK-R022
    reason: The form allows 80 characters, and the counter of the form is in the INPUT.
---
The INPUT is a button's label in English, the ANSWER its label in German.
It meets the criteria if a user who knows only German presses it for the same reason.
The form shows labels of up to 80 characters.
Whether the German is formal or not does not matter.
"""

APOLOGY = """\
---
id: r
kind: score
scale:
  minimum: 1
  maximum: 4
  whole: true
  anchors:
    - {score: 1, meaning: the customer is told that the fault is theirs}
    - {score: 4, meaning: "the fault is named as ours, and what we do about it"}
---
Our parcel was late. How far does the ANSWER take the blame where it is ours?
Scores from 2 to 3 are for answers that regret the delay and name nobody.
A refund is not asked for here; another rubric looks at that.
"""

SQL = """\
---
id: r
kind: pass_fail
---
The INPUT holds a question and a schema, the ANSWER an SQL query with a sentence about it.

The ANSWER meets the criteria if the query, run on any data of that schema, would return what the
question asks for. Names of columns in the result, their order, and formatting do not matter.
A query that returns the right rows only for some data does not meet them. Where the question can
be read in two ways, a query for either is enough.
"""

GOOD = {
    "cites-policy": CITES_POLICY,
    "severity": SEVERITY,
    "route": ROUTE,
    "better-handover": BETTER_HANDOVER,
    "same-dose": SAME_DOSE,
    "no-advice": NO_ADVICE,
    "commit-message": COMMIT_MESSAGE,
    "translation": TRANSLATION,
    "apology": APOLOGY,
    "sql": SQL,
}
