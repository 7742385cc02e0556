"""The published figures of Gupta et al. (ECIR 2019) and Kutlu et al. (2018), as printed."""

PREDICTION = """
Bpref | nDCG                  | .805 -.693  .885 .079  .915 -1.174
Bpref | nDCG Rprec            | .872 -.202  .850 .094  .824 -.989
Bpref | nDCG Rprec R@100      | .906 .284   .844 .645  .866 .390
ERR@20 | RR                   | .764 -1.874 .734 .293  .704 -1.004
ERR@20 | RR RBP(p=0.8)        | .790 -1.809 .777 .392  .714 -.686
ERR@20 | RR RBP(p=0.8) R@100  | .796 -1.728 .741 .478  .704 -.473
GMAP | Bpref                  | .729 -1.216 .704 -2.982 .739 -1.034
GMAP | nDCG RBP(p=0.5)        | .817 .877   .777 .600  .767 .818
GMAP | nDCG RBP(p=0.95) RR    | .817 .882   .748 .514  .794 .854
AP | Rprec                    | .885 .754   .824 .667  .952 .819
AP | Rprec nDCG               | .904 .894   .905 .760  .958 .897
AP | Rprec nDCG RR            | .924 .916   .901 .779  .947 .922
nDCG | Bpref                  | .805 -2.101 .885 -.217 .915 -2.008
nDCG | Bpref GMAP             | .803 -.079  .809 .574  .872 .024
nDCG | Bpref GMAP RBP(p=0.95) | .794 -.113  .801 .556  .850 -.032
P@10 | RBP(p=0.8)             | .884 .942   .832 .895  .866 .893
P@10 | RBP(p=0.8) RBP(p=0.5)  | .941 .994   .882 .966  .914 .988
P@10 | RBP(p=0.8) RBP(p=0.5) RR | .946 .994 .885 .968  .914 .987
RBP(p=0.5) | RR               | .782 .901   .806 .921  .810 .878
RBP(p=0.5) | RR RBP(p=0.8)    | .938 .935   .894 .934  .926 .903
RBP(p=0.5) | RR RBP(p=0.8) nDCG | .936 .916 .882 .917  .942 .885
RBP(p=0.8) | P@10             | .884 .932   .832 .885  .866 .894
RBP(p=0.8) | P@10 RBP(p=0.5)  | .963 .997   .919 .986  .947 .992
RBP(p=0.8) | P@10 RBP(p=0.5) RBP(p=0.95) | .973 .998 .916 .990 .968 .997
RBP(p=0.95) | Rprec           | .824 .346   .651 -.786 .607 -2.401
RBP(p=0.95) | Bpref P@10      | .911 .952   .718 .873  .728 .591
RBP(p=0.95) | Bpref P@10 RBP(p=0.8) | .911 .967 .720 .868 .744 .639
Rprec | R@100                 | .899 .708   .871 .624  .935 .019
Rprec | R@100 RBP(p=0.95)     | .909 .952   .820 .882  .820 .759
Rprec | R@100 RBP(p=0.95) GMAP | .924 .970  .833 .914  .841 .825
RR | RBP(p=0.5)               | .782 .904   .806 .927  .810 .878
RR | RBP(p=0.5) RBP(p=0.8)    | .869 .918   .809 .919  .820 .942
RR | RBP(p=0.5) RBP(p=0.8) ERR@20 | .876 .437 .818 .924 .915 .824
R@100 | Rprec                 | .899 .423   .871 .232  .935 -1.075
R@100 | Rprec GMAP            | .899 .433   .871 .238  .940 -1.077
R@100 | Rprec RR ERR@20       | .881 -.104  .823 .355  .935 -1.187
"""
"""Target, predictors, and tau and R2 on WT2012, WT2013 and WT2014.

Gupta et al., Table 1, which leaves out the targets RBP(p=0.5) and RBP(p=0.8); Kutlu et al. print all rows.
"""

FITS = """
Rprec | R@100       | .592  | .025 .027 .066
Bpref | nDCG        | .475  | .070 .073 .132
RR | RBP(p=0.5)     | 1.117 | .033 .026 .035
ERR@20 | RR         | .182  | .119 .024 .056
AP | Rprec          | 1.010 | .023 .023 .028
GMAP | Bpref        | .622  | .044 .055 .069
nDCG | Bpref        | 1.493 | .133 .132 .195
P@10 | RBP(p=0.8)   | .946  | .022 .022 .028
R@100 | Rprec       | 1.428 | .046 .052 .102
RBP(p=0.5) | RR     | .866  | .029 .022 .034
RBP(p=0.8) | P@10   | 1.046 | .023 .023 .028
RBP(p=0.95) | Rprec | .932  | .055 .067 .151
Rprec | R@100 RBP(p=0.95)    | .382 .451   |
Bpref | Rprec nDCG           | .389 .254   |
RR | RBP(p=0.5) RBP(p=0.8)   | 1.515 -.475 |
ERR@20 | RR RBP(p=0.8)       | .137 .063   |
AP | Rprec nDCG              | .820 .121   |
GMAP | nDCG RBP(p=0.5)       | .269 .145   |
nDCG | Bpref GMAP            | .637 1.377  |
P@10 | RBP(p=0.5) RBP(p=0.8) | -.393 1.404 |
R@100 | Rprec GMAP           | 1.407 .031  |
RBP(p=0.5) | RR RBP(p=0.8)   | .416 .628   |
RBP(p=0.8) | P@10 RBP(p=0.5) | .673 .311   |
RBP(p=0.95) | Bpref P@10     | .287 .538   |
Rprec | GMAP R@100 RBP(p=0.95)         | .239 .318 .378   | .008 .013 .028
Bpref | Rprec nDCG R@100               | .920 .490 -.632  | .045 .045 .070
RR | ERR@20 RBP(p=0.5) RBP(p=0.8)      | .844 1.428 -.576 | .080 .027 .042
ERR@20 | RR R@100 RBP(p=0.8)           | .147 -.023 .068  | .116 .021 .048
AP | Rprec RR nDCG                     | .928 -.062 .124  | .014 .019 .018
GMAP | RR nDCG RBP(p=0.95)             | .081 .293 .046   | .010 .019 .019
nDCG | Bpref GMAP RBP(p=0.95)          | .597 1.361 .047  | .079 .080 .114
P@10 | RR RBP(p=0.5) RBP(p=0.8)        | .036 -.448 1.421 | .007 .012 .010
R@100 | Rprec RR ERR@20                | 1.768 -.217 .176 | .063 .048 .105
RBP(p=0.5) | RR nDCG RBP(p=0.8)        | .423 -.033 .649  | .027 .023 .033
RBP(p=0.8) | P@10 RBP(p=0.5) RBP(p=0.95) | .526 .347 .148 | .004 .007 .005
RBP(p=0.95) | Bpref P@10 RBP(p=0.8)    | .267 .740 -.183  | .012 .018 .049
"""
"""Target, predictors, their coefficients, and RMSE on the three collections, where printed.

Kutlu et al. (2018), tables commented out of the source of the paper.
"""

CORRELATION = """
largest of P@10's                   | P@10 RBP(p=0.8)           | .97
largest of P@20's                   | P@20 RBP(p=0.95)          | .98
every two above .9                  | AP@1000 Rprec Bpref       | .9
every two above .9                  | RBP(p=0.5) RR             | .9
every two above .9                  | RBP(p=0.95) RBP(p=0.8) P@10 P@20 | .9
every two above .9                  | nDCG@20 RBP(p=0.8)        | .9
high: every two above .9            | Rprec nDCG@100            |
high: every two above .9            | nDCG@1000 AP@1000 Rprec   |
falls with p of RBP                 | RR RBP(p=0.5) RBP(p=0.8) RBP(p=0.95) |
rises with the cutoff of R          | nDCG@1000 R@10 R@20 R@100 R@1000 |
falls with the cutoff of nDCG       | RBP(p=0.5) nDCG@10 nDCG@20 nDCG@100 nDCG@1000 |
least correlated with the others    | P@1000                    |
"""
"""What is said, of which metrics, and the figure where there is one: text to the heat map of Gupta et al., Figure 1.

That groups correlate above .9 is said by Kutlu et al. (2018), section 1.
"""

LOWCOST = """
RBP(p=0.95, depth=1000) | wt2012 | .86 .91 .96 .98 .99
RBP(p=0.95, depth=1000) | wt2013 | .65 .70 .92 .96 .97
RBP(p=0.95, depth=1000) | wt2014 | .66 .87 .93 .93 .95
P(depth=1000)@1000      | wt2012 | .38 .41 .50 .55 .60
"""
"""Target, collection, and tau for predictors of depth 10, 20, ..., 50: read from Figure 2 of Gupta et al., to .02."""

TOPICWISE = """
AP                    | -         | .112 .679
nDCG                  | .076 .602 | -
Rprec                 | .052 .809 | .123 .614
R@100                 | .086 .482 | .157 .373
Bpref                 | .155 -.676 | .180 .173
RR                    | .132 -.217 | .202 -.045
P@10                  | .141 -.383 | .209 -.117
nDCG Rprec            | .047 .848 | -
AP Rprec              | -         | .115 .665
Rprec R@100           | .048 .841 | .118 .642
Rprec R@100 Bpref     | .066 .697 | .112 .679
Rprec R@100 Bpref RR  | .066 .699 | .115 .661
Rprec R@100 Bpref RR P@10 | .066 .695 | .119 .636
nDCG Rprec R@100      | .044 .865 | -
AP Rprec R@100 Bpref  | -         | .114 .669
"""
"""Predictors, and RMSE and R2 of AP and of nDCG, topic by topic; Kutlu et al. (2018), a table commented out."""

TOPICWISE_R2 = """
AP        | Rprec Bpref RR P@10 P@100 | .959 .867
AP        | Rprec Bpref RR P@10       | .959 .851
AP        | Rprec Bpref RR            | .959 .85
AP        | Rprec Bpref               | .956 .851
AP        | Rprec                     | .925 .811
AP        | Bpref RR P@10 P@100       | .959 .863
AP        | RR P@10 P@100             | .662 .422
AP        | P@10 P@100                | .63 .451
AP, Rprec | Bpref RR P@10 P@100       | .962 .89
AP, Rprec | RR P@10 P@100             | .962 .48
AP, Rprec | Bpref P@10 P@100          | .962 .89
AP, Rprec | Bpref RR P@10             | .961 .884
AP, Rprec | Bpref RR P@100            | .96 .89
AP, Rprec | Bpref RR                  | .959 .883
"""
"""Targets, predictors, and R2 "w/ STD" and "w/ DTD"; Kutlu et al. (2018), another table commented out."""


def rows(text: str) -> list[list[str]]:
    """Cut a table into rows of parts."""
    return [
        [part.strip() for part in line.split("|")] for line in text.strip().splitlines()
    ]
